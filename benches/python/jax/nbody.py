from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def differences(pos):
    return [c[None, :] - c[:, None] for c in pos.T]


def accelerations(pos, mass, G, softening):
    dx, dy, dz = differences(pos)
    d2 = dx**2 + dy**2 + dz**2 + softening**2
    f = jnp.where(d2 > 0, G * mass.T / (d2 * jnp.sqrt(d2)), 0.0)
    return jnp.stack([(d * f).sum(axis=1) for d in (dx, dy, dz)], axis=1)


def energy(pos, vel, mass, G):
    dx, dy, dz = differences(pos)
    d2 = dx**2 + dy**2 + dz**2
    pairs = jnp.where(d2 > 0, mass * mass.T / jnp.sqrt(d2), 0.0)
    return 0.5 * jnp.sum(mass * vel**2), -0.5 * G * jnp.sum(pairs)


@partial(jax.jit, static_argnames="steps")
def kernel(mass, pos, vel, steps, dt, G, softening):
    def step(state, _):
        pos, vel, acc = state
        vel = vel + acc * dt / 2.0
        pos = pos + vel * dt
        acc = accelerations(pos, mass, G, softening)
        vel = vel + acc * dt / 2.0
        return (pos, vel, acc), energy(pos, vel, mass, G)

    vel = vel - jnp.mean(mass * vel, axis=0) / jnp.mean(mass)
    first = energy(pos, vel, mass, G)
    (pos, vel, _), (ke, pe) = lax.scan(step, (pos, vel, accelerations(pos, mass, G, softening)), length=steps)
    return jnp.append(first[0], ke), jnp.append(first[1], pe), pos, vel
