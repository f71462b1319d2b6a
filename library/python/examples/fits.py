#!/usr/bin/env python3
"""Least-squares fits in the background: the device solves one batch of measurements while Python makes the next one.
Run after tools/install-python."""
import time

import numpy as np
import treelight

N_BATCHES, N_POINTS, N_TERMS = 20, 20_000, 60


def measurements(random):
    """Chebyshev polynomials at random arguments, and noisy values of their weighted sum."""
    x = random.uniform(-1, 1, N_POINTS)
    powers = np.polynomial.chebyshev.chebvander(x, N_TERMS - 1)
    values = powers @ (1 / np.arange(1, N_TERMS + 1)) + random.normal(0, 0.1, N_POINTS)
    return powers, values[:, np.newaxis]


def main():
    random = np.random.default_rng(1)
    queue = treelight.Queue()
    start = time.perf_counter()
    fits = []
    for _ in range(N_BATCHES):
        powers, values = measurements(random)
        with queue.batch():
            a, b = queue.upload(powers), queue.upload(values)
            left = a.T @ a
            fit = left.solve(a.T @ b)
            fit.read()
        fits.append(fit)
    mean = np.mean([fit.numpy() for fit in fits], axis=0)[:, 0]
    taken = time.perf_counter() - start
    error = np.abs(mean - 1 / np.arange(1, N_TERMS + 1)).max()
    print(f"{N_BATCHES} fits on {queue.device} in {taken:.2f} s; {queue.overlap_percent:.0f} % of "
          f"copies hidden; largest error of a coefficient {error:.4f}")


if __name__ == "__main__":
    main()
