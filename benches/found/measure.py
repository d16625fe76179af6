#!/usr/bin/env python3
"""How many faces are found, and how long it takes, beside OpenCV's Haar cascade: a table in Markdown.

    benches/found/measure.py PROGRAM DATA

Needs Pillow, NumPy and OpenCV (`pip install pillow numpy "opencv-contrib-python-headless<5"`); benches/found/run.sh installs them under target/.
Of each set: the share of photos that show exactly one face, or the boxes in photos of several. Large pictures are made of photos of LFW.
Milliseconds for each megapixel are processor time on one thread: of the program those of `identify` less those of a photo of 8 x 8 pixels, decoding
and comparing included; of OpenCV those of detectMultiScale alone.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import cv2
import numpy
from PIL import Image

HAAR = cv2.CascadeClassifier(cv2.data.haarcascades + "haarcascade_frontalface_default.xml")


def sheet(people, name, size, cell, columns, count):
    """A large picture of so many photos side by side; each is `cell` pixels wide, its face under half of that."""
    picture = Image.new("RGB", size, (120, 130, 140))
    for at in range(count):
        photo = Image.open(people[at % len(people)]).convert("RGB").resize((cell, cell), Image.LANCZOS)
        picture.paste(photo, (20 + at % columns * (cell + 10), 20 + at // columns * (cell + 10)))
    picture.save(name, quality=90)
    return [name]


def processor_time(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def by_program(program, model, photos):
    """Boxes in each photo, and seconds of processor time."""
    boxes, before = [], processor_time(resource.RUSAGE_CHILDREN)
    for some in (photos[at:at + 500] for at in range(0, len(photos), 500)):
        command = [program, "identify", *some, "-m", model, "--format", "json", "-q", "--threads", "1"]
        said = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True).stdout
        told = [json.loads(line) for line in said.splitlines()]
        boxes += [sum(face["box"] is not None for face in photo.get("faces", [])) for photo in told]
    return boxes, processor_time(resource.RUSAGE_CHILDREN) - before


def by_haar(photos):
    boxes, seconds = [], 0.0
    for photo in photos:
        # OpenCV reads no GIF.
        gray = cv2.cvtColor(numpy.array(Image.open(photo).convert("RGB")), cv2.COLOR_RGB2GRAY)
        before = processor_time(resource.RUSAGE_SELF)
        boxes.append(len(HAAR.detectMultiScale(gray, 1.1, 3, minSize=(20, 20))))
        seconds += processor_time(resource.RUSAGE_SELF) - before
    return boxes, seconds


def main():
    program, data = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    cv2.setNumThreads(1)
    work = pathlib.Path(tempfile.mkdtemp())
    model = work / "m.npz"
    faces = pathlib.Path(__file__).resolve().parents[2] / "faces"
    subprocess.run([program, "enroll", faces, "-m", model, "-q"], check=True)
    os.chdir(work)
    nothing = work / "nothing.png"
    Image.new("L", (8, 8)).save(nothing)
    start = min(by_program(program, model, [nothing])[1] for _ in range(5))

    def files(pattern):
        return sorted(data.glob(pattern))

    def lit(least, most):
        def angle(path):
            azimuth, _, elevation = path.stem.rpartition("A")[2].partition("E")
            return max(abs(int(azimuth)), abs(int(elevation)))
        return [path for path in files("yale-light/*/*.png") if least <= angle(path) <= most]

    people = files("lfw-strangers/*.jpg")
    one, several = "photos with one box", "boxes"
    sets = [
        ("AT&T", one, files("att/*/*.pgm")),
        ("LFW, 31 people", one, files("lfw/*/*.jpg")),
        ("Yale", one, files("yale/*/*.gif")),
        ("CFP, frontal", one, files("cfp-frontal/*/*.jpg")),
        ("Extended Yale B, light up to 50°", one, lit(0, 50)),
        ("Extended Yale B, beyond", one, lit(51, 180)),
        ("`groups`, 67 faces", several, files("groups/*.jpg")),
        ("class photo, 95 faces, 12 megapixels", several, sheet(people, "class.jpg", (4000, 3000), 200, 19, 95)),
        ("panorama, 36 faces, 18 megapixels", several, sheet(people, "panorama.jpg", (12000, 1500), 320, 36, 36)),
        ("crowd, 660 faces of 50 pixels, 12 megapixels", several, sheet(people, "crowd.jpg", (4000, 3000), 110, 33, 660)),
        ("`not-faces`", several, files("not-faces/*.jpg")),
    ]
    print("|  | photos | eigenfaces | OpenCV, Haar | ms a megapixel | OpenCV, Haar |")
    print("|---|---|---|---|---|---|")
    for name, what, photos in sets:
        pixels = sum(size[0] * size[1] for size in (Image.open(photo).size for photo in photos)) / 1e6
        runs = -(-len(photos) // 500)
        ours, seconds = by_program(program, model, photos)
        haar, theirs = by_haar(photos)
        told = [boxes.count(1) if what == one else sum(boxes) for boxes in (ours, haar)]
        times = [1000 * (seconds - runs * start) / pixels, 1000 * theirs / pixels]
        print(f"| {name} | {len(photos)} | {told[0]} | {told[1]} | {times[0]:.0f} | {times[1]:.0f} |")


if __name__ == "__main__":
    main()
