#!/usr/bin/env python3
"""ageitgey's face_recognition (a deep network of dlib's) in the small galleries of examples/small_galleries.

    python3 face_recognition_peer.py draws.jsonl        (run.sh beside it installs what it needs, and draws)

At its own defaults: faces found by its HOG detector, the nearest enrolled photo within a distance of 0.6 gives the name.
Of several faces found in a photo the largest is taken. A photo in which it finds none is told nobody's name.
"""

import json
import sys
import time

import face_recognition
import numpy as np

TOLERANCE = 0.6
encoded, spent = {}, 0.0


def encode(path):
    """The 128 numbers of the largest face, or None."""
    global spent
    if path not in encoded:
        photo = face_recognition.load_image_file(path)
        begun = time.perf_counter()
        found = face_recognition.face_locations(photo)
        largest = sorted(found, key=lambda place: place[2] - place[0])[-1:]
        numbers = face_recognition.face_encodings(photo, largest)
        spent += time.perf_counter() - begun
        encoded[path] = numbers[0] if numbers else None
    return encoded[path]


def named(gallery, path):
    """(the nearest person, whether near enough for a name)"""
    numbers = encode(path)
    if numbers is None or not gallery:
        return None, False
    distances = np.linalg.norm(np.array([one for _, one in gallery]) - numbers, axis=1)
    nearest = int(distances.argmin())
    return gallery[nearest][0], distances[nearest] <= TOLERANCE


tallies = {}
for line in open(sys.argv[1]):
    draw = json.loads(line)
    tally = tallies.setdefault(draw["size"], {"rank1": [], "named": [], "wrong": [], "strangers": [], "unseen": []})
    gallery = [(person, numbers) for person, path in draw["gallery"] if (numbers := encode(path)) is not None]
    for person, path in draw["probes"]:
        nearest, is_named = named(gallery, path)
        tally["rank1"].append(nearest == person)
        tally["named"].append(is_named and nearest == person)
        tally["wrong"].append(is_named and nearest != person)
        tally["unseen"].append(encode(path) is None)
    tally["strangers"] += [named(gallery, path)[1] for path in draw["strangers"]]
for size, tally in tallies.items():
    print(f"face_recognition {size:6}", "  ".join(f"{name} {np.mean(values):.3f}" for name, values in tally.items()))
print(f"{1000 * spent / len(encoded):.0f} ms a photo ({len(encoded)} photos)")
