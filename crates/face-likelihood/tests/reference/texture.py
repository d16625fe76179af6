"""Reference values for src/features/texture/tests.rs: the description of one view of two bundled faces, as docs/THEORY.md says
it, by NumPy.

Run once: python3 texture.py ../../../../faces > texture.txt   (numpy and pillow are needed)
Written for clarity in floating point, with the true angle of each gradient. Each line: a face, of which the 64 x 74 pixels
from (16, 19) on are described, then 3,084 bytes of it together with its mirror image: directions in 12 x 14 cells, then 59
patterns and 8 directions of each of 8 x 9.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

COARSE, FINE = (8, 9), (12, 14)


def shares(side, cells):
    """side x cells: how much each pixel gives to each cell."""
    given = np.zeros((side, cells))
    for at in range(side):
        place = (at + 0.5) * cells / side - 0.5
        before = int(np.floor(place))
        given[at, np.clip(before, 0, cells - 1)] += 1 - (place - before)
        given[at, np.clip(before + 1, 0, cells - 1)] += place - before
    return given


def histograms(bins, votes, count, grid):
    """rows x columns x count, of bins and votes a pixel."""
    height, width = bins.shape
    one_hot = np.zeros((height, width, count))
    np.put_along_axis(one_hot, bins[..., None], votes[..., None], axis=2)
    return np.einsum("yr,xc,yxb->rcb", shares(height, grid[1]), shares(width, grid[0]), one_hot)


def patterns(face, grid):
    height, width = face.shape
    padded = np.pad(face.astype(int), 2, mode="edge")

    def at(dx, dy):
        return padded[2 + dy : 2 + dy + height, 2 + dx : 2 + dx + width]

    bits = np.zeros(face.shape, dtype=int)
    for bit in range(8):
        dx, dy = round(np.cos(np.pi * bit / 4)), round(np.sin(np.pi * bit / 4))
        if dx == 0 or dy == 0:
            is_set = at(2 * dx, 2 * dy) >= at(0, 0)
        else:
            near, far = 150, 106
            sample = near * near * at(dx, dy) + near * far * (at(2 * dx, dy) + at(dx, 2 * dy)) + far * far * at(2 * dx, 2 * dy)
            is_set = sample >= 256 * 256 * at(0, 0)
        bits += is_set.astype(int) << bit
    changes = [bin(p ^ (p << 1 & 255 | p >> 7)).count("1") for p in range(256)]
    uniform = [p for p in range(256) if changes[p] <= 2]
    place = np.array([uniform.index(p) if changes[p] <= 2 else 58 for p in range(256)])
    return histograms(place[bits], np.ones(face.shape), 59, grid)


def directions(face, grid):
    padded = np.pad(face.astype(float), 1, mode="edge")
    across = padded[1:-1, 2:] - padded[1:-1, :-2]
    down = padded[2:, 1:-1] - padded[:-2, 1:-1]
    eighths = np.arctan2(down, across) / (np.pi / 4) % 8
    before = np.floor(eighths).astype(int)
    size = np.hypot(across, down)
    return histograms(before % 8, size * (1 - (eighths - before)), 8, grid) + histograms(
        (before + 1) % 8, size * (eighths - before), 8, grid
    )


def folded(of, face, grid):
    """Of the left half of the cells, what a face and its mirror image have together."""
    both = of(face, grid) + of(face[:, ::-1], grid)
    return both[:, : grid[0] // 2]


def roots(sums, total):
    return np.floor(255 * np.sqrt(np.minimum(sums / total, 1)) + 0.5).astype(int)


def described(face):
    faint = lambda grid: 2 * 0.001 * face.size / (grid[0] * grid[1])
    fine = folded(directions, face, FINE)
    around = np.pad(fine.sum(axis=2), 1, mode="edge")
    rows, columns = fine.shape[:2]
    mean = sum(around[y : y + rows, x : x + columns] for y in range(3) for x in range(3)) / 9 + faint(FINE)
    of_patterns, of_directions = folded(patterns, face, COARSE), folded(directions, face, COARSE)
    cells = [
        roots(of_patterns, of_patterns.sum(axis=2, keepdims=True)),
        roots(of_directions, of_directions.sum(axis=2, keepdims=True) + faint(COARSE)),
    ]
    return [*roots(fine, 2 * mean[..., None]).ravel(), *np.concatenate(cells, axis=2).ravel()]


print("# numpy", np.__version__)
for name in ("Ada/1.png", "Boris/2.png"):
    face = np.asarray(Image.open(Path(sys.argv[1]) / name))[19 : 19 + 74, 16 : 16 + 64]
    print(name, *described(face))
