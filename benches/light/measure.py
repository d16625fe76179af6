#!/usr/bin/env python3
"""Who is named in light from the side: the table of docs/RECIPES.md, "Light from the side".

    benches/light/measure.py FOLDER [--half] [--program target/release/eigenfaces] [--folds 6] [ENROLL OPTIONS...]

FOLDER has a sub-folder per person, as Extended Yale B does: the name of a photo ends in the light's azimuth and elevation
(`A+050E-40`). Photos lit from at most 12 degrees are enrolled, the others identified by angle. In each fold other people are
left out of the gallery and asked as strangers. With --half, of every second person only: of those of ../shared/data/yale-light
from whom the program has not learned what hard light does (examples/train_light). Needs nothing but Python.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINS = [(25, "12-25"), (50, "25-50"), (77, "50-77"), (180, "> 77")]


def angle(photo):
    """The angle between light and camera in degrees; None for a name without one."""
    found = re.search(r"A([+-]\d+)E([+-]\d+)", photo.name)
    if not found:
        return None
    azimuth, elevation = (math.radians(int(number)) for number in found.groups())
    return math.degrees(math.acos(max(-1.0, min(1.0, math.cos(azimuth) * math.cos(elevation)))))


def answers(program, folder, people, left_out, options):
    """(angle's name, enrolled, person, answer) of each photo that is not enrolled."""
    with tempfile.TemporaryDirectory() as work:
        gallery = pathlib.Path(work) / "gallery"
        probes = []
        for person in people:
            for photo in sorted((folder / person).iterdir()):
                degrees = angle(photo)
                if degrees is None:
                    continue
                if degrees > 12:
                    probes.append((person, photo, next(name for most, name in BINS if degrees <= most)))
                elif person not in left_out:
                    (gallery / person).mkdir(parents=True, exist_ok=True)
                    (gallery / person / photo.name).symlink_to(photo.resolve())
        subprocess.run([program, "enroll", "-q", gallery, *options], cwd=work, check=True)
        photos = [photo.resolve() for _, photo, _ in probes]
        identify = [program, "identify", "--format", "json", "--top", "1", *photos]
        lines = subprocess.run(identify, cwd=work, capture_output=True, text=True).stdout.splitlines()
        assert len(lines) == len(probes), "a line a photo"
        for (person, _, name), line in zip(probes, lines):
            faces = json.loads(line)["faces"]
            yield name, person not in left_out, person, faces[0] if faces else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target/release/eigenfaces")
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--half", action="store_true")
    arguments, options = parser.parse_known_args()
    people = sorted(entry.name for entry in arguments.folder.iterdir() if entry.is_dir())
    people = people[1::2] if arguments.half else people
    if not any(angle(photo) is not None for person in people for photo in (arguments.folder / person).iterdir()):
        sys.exit(f"{arguments.folder}: no photo's name ends in the angles of its light (A+050E-40)")
    counts = collections.defaultdict(collections.Counter)
    for fold in range(arguments.folds):
        left_out = set(people[fold :: arguments.folds])
        program = arguments.program.resolve()
        for name, is_enrolled, person, answer in answers(program, arguments.folder, people, left_out, options):
            count = counts[name, is_enrolled]
            count["photos"] += 1
            if answer is None:
                count["no face"] += 1
                continue
            right = answer["candidates"][0]["person"] == person
            count["rank-1"] += right
            count["named right" if right else "named wrong"] += answer["decision"] == "known"
            count["not a face"] += answer["decision"] == "not-a-face"
    print("| degrees | rank-1 | told the right name | a wrong one | not a face | no face found | strangers named |")
    print("|---|---|---|---|---|---|---|")
    for _, name in BINS:
        own, strangers = counts[name, True], counts[name, False]
        share = lambda count, what: f"{count[what] / max(count['photos'], 1):.3f}"
        columns = [share(own, what) for what in ("rank-1", "named right", "named wrong", "not a face", "no face")]
        print("|", " | ".join([name, *columns, share(strangers, "named wrong")]), "|")


if __name__ == "__main__":
    main()
