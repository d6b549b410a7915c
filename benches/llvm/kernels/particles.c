/* Particles as arrays of coordinates: gravity and drag on the velocities, then the positions, then the floor. */
#include "../bench.h"

typedef struct {
    float *px, *py, *pz, *vx, *vy, *vz;
    int count;
} particles;

static void drag(float *v, int n, float k)
{
    for (int i = 0; i < n; i++)
        v[i] *= k;
}

static void move(float *restrict p, const float *restrict v, int n, float dt)
{
    for (int i = 0; i < n; i++)
        p[i] += v[i] * dt;
}

ENTRY void advance_particles(particles *s, float dt)
{
    int n = s->count;
    for (int i = 0; i < n; i++)
        s->vy[i] -= 9.81f * dt;
    drag(s->vx, n, 0.999f);
    drag(s->vy, n, 0.999f);
    drag(s->vz, n, 0.999f);
    move(s->px, s->vx, n, dt);
    move(s->py, s->vy, n, dt);
    move(s->pz, s->vz, n, dt);
    for (int i = 0; i < n; i++)
        if (s->py[i] < 0.0f) {
            s->py[i] = -s->py[i];
            s->vy[i] = -0.8f * s->vy[i];
        }
}

static particles s;

void setup(size_t bytes)
{
    s.count = (int)(bytes / (6 * sizeof(float)));
    size_t n = (size_t)s.count;
    s.px = bench_floats(n, -10, 10);
    s.py = bench_floats(n, 0, 10);
    s.pz = bench_floats(n, -10, 10);
    s.vx = bench_floats(n, -1, 1);
    s.vy = bench_floats(n, -1, 1);
    s.vz = bench_floats(n, -1, 1);
}

void kernel(void) { advance_particles(&s, 1e-3f); }
