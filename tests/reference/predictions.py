"""Reference predictions for tests/library/evaluate.rs: plain eigenfaces and the nearest mean of a person, by NumPy in double precision.

Run once: python3 predictions.py ../../../shared/data/att 60 5 > att-predictions.txt
          python3 predictions.py ../../faces 20 4 > bundled-predictions.txt     (numpy and pillow are needed)
Each line: a protocol, then for each probe in order the person (0, 1, ...) the mean of whose learned faces is nearest in the
space of the first K eigenfaces of the learned faces. K and the number of learned photos a person are the arguments.
"""

import re
import sys
from pathlib import Path

import numpy as np
from PIL import Image


def natural(path):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]


folder, k, learned_photos = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
people = sorted((path for path in folder.iterdir() if path.is_dir()), key=natural)
files = [(person, file) for person, path in enumerate(people) for file in sorted(path.iterdir(), key=natural)]
persons = np.array([person for person, _ in files])
faces = np.stack([np.asarray(Image.open(file), dtype=np.float64).ravel() for _, file in files])
rank = np.concatenate([np.arange(np.sum(persons == person)) for person in range(len(people))])
assert len(np.unique(faces, axis=0)) == len(faces), "a face that is there twice would have to be left out with its twin"


def predict(learned, probes):
    mean = faces[learned].mean(axis=0)
    centred = faces[learned] - mean
    eigenvalues, vectors = np.linalg.eigh(centred @ centred.T)
    first = np.argsort(eigenvalues)[::-1][:k]
    basis = centred.T @ vectors[:, first] / np.sqrt(eigenvalues[first])
    known, tried = centred @ basis, (faces[probes] - mean) @ basis
    enrolled = np.unique(persons[learned])
    means = np.stack([known[persons[learned] == person].mean(axis=0) for person in enrolled])
    distances = ((tried[:, None, :] - means[None, :, :]) ** 2).sum(axis=2)
    return enrolled[distances.argmin(axis=1)]


print("# numpy", np.__version__, "K", k)
print(f"first:{learned_photos}", *predict(np.flatnonzero(rank < learned_photos), np.flatnonzero(rank >= learned_photos)))
everyone = np.arange(len(faces))
print("leave-one-out", *(predict(np.delete(everyone, probe), [probe])[0] for probe in everyone))
