"""Reference values for tests/library/reference.rs: PCA of the AT&T faces by NumPy's SVD in double precision.

Run once: python3 make.py ../../../shared/data/att > att.txt   (numpy and pillow are needed)
Each line: a name, then numbers. Weights are up to the sign of their component.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

folder = Path(sys.argv[1])
faces = np.stack([
    np.asarray(Image.open(folder / f"s{person}" / f"{photo}.pgm"), dtype=np.float64).ravel()
    for person in range(1, 41)
    for photo in range(1, 11)
])
mean = faces.mean(axis=0)
centred = faces - mean
_, sigma, axes = np.linalg.svd(centred, full_matrices=False)
eigenvalues = sigma**2 / (len(faces) - 1)
total = centred.var(axis=0, ddof=1).sum()
weights = centred @ axes.T


def line(name, numbers):
    print(name, *(f"{number:.12e}" for number in numbers))


print("# AT&T, 400 x 10304, numpy", np.__version__)
line("total_variance", [total])
line("mean_first_pixels", mean[:20])
line("eigenvalues", eigenvalues[:100])
line("explained_variance_ratio", eigenvalues[:100] / total)
for face in (0, 57, 123, 399):
    line(f"weights_{face}", weights[face, :20])

# Plain Euclidean nearest neighbour in the space of the first 60 components, learning from photos 1 to 5
# of each person: the predicted person (0 to 39) of photos 6 to 10.
person = np.repeat(np.arange(40), 10)
photo = np.tile(np.arange(10), 40)
train, test = photo < 5, photo >= 5
m = faces[train].mean(axis=0)
_, _, axes = np.linalg.svd(faces[train] - m, full_matrices=False)
known, probes = (faces[train] - m) @ axes[:60].T, (faces[test] - m) @ axes[:60].T
distances = ((probes[:, None, :] - known[None, :, :]) ** 2).sum(axis=2)
print("nearest_first5_k60", *person[train][distances.argmin(axis=1)])
