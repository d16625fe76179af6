"""OpenCV's recognisers on the same 8-bit faces and the same splits as examples/accuracy.rs: rank-1 of each.

python3 peers.py EXPORTED...   (folders that `accuracy ... export=DIR` wrote; numpy and opencv-contrib-python-headless)
"""

import sys
from pathlib import Path

import cv2
import numpy as np

PEERS = {
    "Eigen": cv2.face.EigenFaceRecognizer_create,
    "Fisher": cv2.face.FisherFaceRecognizer_create,
    "LBPH": cv2.face.LBPHFaceRecognizer_create,
}

for folder in map(Path, sys.argv[1:]):
    with open(folder / "splits.txt") as file:
        width, height = map(int, file.readline().split())
        persons = np.array(file.readline().split(), dtype=np.int32)
        columns = np.array(file.readline().split(), dtype=int)
        splits = [[[int(word) for word in side.split()] for side in line.split("|")] for line in file]
    faces = np.fromfile(folder / "faces.bin", dtype=np.uint8).reshape(-1, height, width)
    for name, create in PEERS.items():
        right = asked = 0
        for learned, probes in splits:
            asked += len(probes)
            learned = [at for at in learned if columns[at] >= 0]
            probes = [at for at in probes if columns[at] >= 0]
            if name == "Fisher" and np.bincount(persons[learned]).max() < 2:
                continue
            peer = create()
            peer.train([faces[columns[at]] for at in learned], persons[learned])
            right += sum(peer.predict(faces[columns[at]])[0] == persons[at] for at in probes)
        rate = 100 * right / asked
        print(f"{folder.name} {name} {rate:.1f} ({right}/{asked})" if right else f"{folder.name} {name} cannot", flush=True)
