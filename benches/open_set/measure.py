#!/usr/bin/env python3
"""Open-set identification as NIST reports it (FRVT 1:N): FNIR at a fixed FPIR, over the number of people enrolled.

    measure.py PROGRAM LFW-WORLD [CFP]      (run.sh beside it installs what it needs)

Half of the people, by a hash of their names, and those of CFP are what a background model is learned from. Of the others, those with
two photos are enrolled by the first and asked about by the second; those with one are strangers. The largest gallery holds all of the
former and half of the strangers; the other half asks. FPIR is the share of strangers with a score above a threshold, FNIR that of
enrolled people who are not ranked first with a score above it. A score is minus the distance to the nearest person. A photo without
a face has no score. The defaults' columns are FNIR and FPIR of what is told.
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import face_recognition
import numpy as np

DRAWS = ((5, 20), (50, 6), (500, 2))
NOWHERE = -np.inf
NOBODY = (NOWHERE, None, False)
TOLERANCE = 0.6
encoded = {}


def main_face(boxes, width, height):
    """The box (x, y, width, height) that is largest and nearest to the middle: its position in `boxes`."""
    def worth(box):
        x, y, w, h = box
        return w * h - (x + w / 2 - width / 2) ** 2 - (y + h / 2 - height / 2) ** 2
    return max(range(len(boxes)), key=lambda at: worth(boxes[at]))


def encode(path):
    """face_recognition's 128 numbers of the main face, or None."""
    if path not in encoded:
        photo = face_recognition.load_image_file(path)
        height, width = photo.shape[:2]
        places = face_recognition.face_locations(photo)
        boxes = [(left, top, right - left, bottom - top) for top, right, bottom, left in places]
        if boxes:
            place = places[main_face(boxes, width, height)]
            encoded[path] = face_recognition.face_encodings(photo, [place])[0]
        else:
            encoded[path] = None
    return encoded[path]


def by_network(gallery, photos):
    """(score, person, named) for each photo; `gallery` are pairs of a person and a photo."""
    known = [(person, numbers) for person, photo in gallery if (numbers := encode(photo)) is not None]
    matrix = np.array([numbers for _, numbers in known])
    answers = []
    for photo in photos:
        numbers = encode(photo)
        if numbers is None:
            answers.append(NOBODY)
            continue
        distances = np.linalg.norm(matrix - numbers, axis=1)
        nearest = int(distances.argmin())
        answers.append((-distances[nearest], known[nearest][0], distances[nearest] <= TOLERANCE))
    return answers


def by_program(program, background, gallery, photos, work):
    """(score, person, named) for each photo."""
    shutil.rmtree(work, ignore_errors=True)
    for person, photo in gallery:
        (work / "gallery" / person).mkdir(parents=True)
        shutil.copy(photo, work / "gallery" / person)
    (work / "probes").mkdir()
    for at, photo in enumerate(photos):
        shutil.copy(photo, work / "probes" / f"{at:05}{photo.suffix}")
    model = work / "m.npz"
    subprocess.run([program, "enroll", work / "gallery", "-m", model, "--background", background, "-q"])
    command = [program, "identify", work / "probes", "-m", model, "--format", "json", "--top", "1", "-q"]
    answers = [NOBODY] * len(photos)
    for line in subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        photo = json.loads(line)
        faces = photo.get("faces", [])
        if not faces:
            continue
        face = faces[main_face([face["box"] or (0, 0, 250, 250) for face in faces], 250, 250)]
        if face["candidates"]:
            first = face["candidates"][0]
            at = int(pathlib.Path(photo["photo"]).stem)
            answers[at] = (-first["distance"], first["person"], face["decision"] == "known")
    return answers


def rates(people, answers):
    """FNIR at FPIR .01 and .003, and FNIR and FPIR of the names told; `people` are those of the first answers, strangers the rest."""
    own, strangers = answers[:len(people)], sorted((score for score, _, _ in answers[len(people):]), reverse=True)
    def missed(fpir):
        threshold = strangers[int(fpir * len(strangers))]
        return 1 - np.mean([who == person and score > threshold for person, (score, who, _) in zip(people, own)])
    told = np.mean([named and who == person for person, (_, who, named) in zip(people, own)])
    false = np.mean([named for _, _, named in answers[len(people):]])
    return missed(0.01), missed(0.003), 1 - told, false


def background(program, folders, work):
    """A background model learned from `folders`."""
    file = work / "half.npz"
    told = ["--source", "LFW and CFP", "--license", "for research"]
    subprocess.run([program, "background", *folders, "-o", file, *told], check=True)
    return file


def main():
    program, world, *more = [pathlib.Path(word).resolve() for word in sys.argv[1:]]
    work = pathlib.Path(tempfile.mkdtemp())
    people = sorted(folder for folder in world.iterdir() if folder.is_dir())
    people.sort(key=lambda folder: hashlib.sha256(folder.name.encode()).hexdigest())
    half = len(people) // 2
    (work / "learn").mkdir()
    for person in people[:half]:
        os.symlink(person, work / "learn" / person.name)
    learned = background(program, [work / "learn", *more], work)
    photos = {person.name: sorted(person.iterdir()) for person in people[half:]}
    several = sorted(name for name, own in photos.items() if len(own) > 1)
    alone = sorted(name for name, own in photos.items() if len(own) == 1)
    draw = random.Random(1)
    print("| people enrolled, a photo each | FNIR at FPIR .01 | at .003 | as told: FNIR, FPIR "
          "| face_recognition: .01 | .003 | as told |")
    print("|---|---|---|---|---|---|---|")
    largest = len(several) + len(alone) // 2
    for count, draws in (*DRAWS, (largest, 2)):
        ours, theirs = [], []
        for _ in range(draws):
            asked = draw.sample(several, min(count, len(several)))
            beside = draw.sample(alone, count - len(asked))
            strangers = sorted(set(alone) - set(beside))
            gallery = [(name, photos[name][0]) for name in asked + beside]
            probes = [photos[name][1] for name in asked] + [photos[name][0] for name in strangers]
            ours.append(rates(asked, by_program(program, learned, gallery, probes, work / "draw")))
            theirs.append(rates(asked, by_network(gallery, probes)))
        cells = [[f"{value:.3f}".removeprefix("0") for value in np.mean(values, axis=0)] for values in (ours, theirs)]
        told = [value for one, other, fnir, fpir in cells for value in (one, other, f"{fnir}, {fpir}")]
        print(f"| {count} | " + " | ".join(told) + " |", flush=True)
    shutil.rmtree(work)


main()
