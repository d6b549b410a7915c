// expect: left as it was, or fused with the members as arrays of their own; no member may be mistaken for another

struct particle {
    float x[3], mass;
    struct { float v; } speed;
};

void struct_array(int n, struct particle *restrict p, float dt)
{
    float force[n];
#pragma scop
    for (int i = 0; i < n; i++)
        force[i] = -p[i].x[0] * p[i].mass;
    for (int i = 0; i < n; i++)
        p[i].speed.v += dt * force[i] / p[i].mass;
    for (int i = 0; i < n; i++)
        p[i].x[0] += dt * p[i].speed.v;
#pragma endscop
}
