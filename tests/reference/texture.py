"""Reference values for tests/library/texture.rs: the texture of two bundled faces, as docs/THEORY.md says it, by NumPy.

Run once: python3 texture.py ../../faces > texture.txt   (numpy and pillow are needed)
Written for clarity in floating point, with the true angle of each gradient. Each line: a face, then 3,752 bytes,
cell after cell: 59 patterns, then 8 directions.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

COLUMNS, ROWS = 7, 8


def shares(side, cells):
    """side x cells: how much each pixel gives to each cell."""
    given = np.zeros((side, cells))
    for at in range(side):
        place = (at + 0.5) * cells / side - 0.5
        before = int(np.floor(place))
        given[at, np.clip(before, 0, cells - 1)] += 1 - (place - before)
        given[at, np.clip(before + 1, 0, cells - 1)] += place - before
    return given


def histograms(bins, votes, count):
    """cells x count, of bins and votes a pixel."""
    height, width = bins.shape
    one_hot = np.zeros((height, width, count))
    np.put_along_axis(one_hot, bins[..., None], votes[..., None], axis=2)
    sums = np.einsum("yr,xc,yxb->rcb", shares(height, ROWS), shares(width, COLUMNS), one_hot)
    return sums.reshape(ROWS * COLUMNS, count)


def patterns(face):
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
    return histograms(place[bits], np.ones(face.shape), 59)


def directions(face):
    padded = np.pad(face.astype(float), 1, mode="edge")
    across = padded[1:-1, 2:] - padded[1:-1, :-2]
    down = padded[2:, 1:-1] - padded[:-2, 1:-1]
    eighths = np.arctan2(down, across) / (np.pi / 4) % 8
    before = np.floor(eighths).astype(int)
    size = np.hypot(across, down)
    return histograms(before % 8, size * (1 - (eighths - before)), 8) + histograms(
        (before + 1) % 8, size * (eighths - before), 8
    )


def roots(sums, more=0.0):
    return np.floor(255 * np.sqrt(sums / (sums.sum(axis=1, keepdims=True) + more)) + 0.5).astype(int)


print("# numpy", np.__version__)
for name in ("Ada/1.png", "Boris/2.png"):
    face = np.asarray(Image.open(Path(sys.argv[1]) / name))
    cells = np.hstack([roots(patterns(face)), roots(directions(face), 0.001 * face.size / (ROWS * COLUMNS))])
    print(name, *cells.ravel())
