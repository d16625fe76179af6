#!/usr/bin/env python3
"""How many damaged photos of people enrolled are named: the table under "Quality" in docs/GUIDE.md.

    benches/damaged/measure.py [FOLDER] [--people 5] [--photos 6] [--program target/release/eigenfaces]

FOLDER (the bundled `faces` by default) has a sub-folder per person. Of the first PEOPLE, in order, the first PHOTOS photos are
enrolled, and as many others are tried as they are and damaged in each way. Needs Pillow and NumPy.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lit(photo, gain):
    """A photo with its linear light multiplied by gain, a number or one a column (sRGB taken as gamma 2.2)."""
    levels = (np.asarray(photo) / 255.0) ** 2.2
    gain = np.reshape(gain, (1, -1, 1))
    return Image.fromarray((255 * np.clip(levels * gain, 0, 1) ** (1 / 2.2)).round().astype(np.uint8))


def side_lit(photo):
    return lit(photo, np.linspace(1.6, 0.03, photo.width))


def small(photo):
    photo = photo.copy()
    photo.thumbnail((64, 64))
    return photo


def turned(photo):
    return photo.rotate(20, Image.Resampling.BICUBIC, fillcolor=(128, 128, 128))


def blurred(photo):
    return photo.filter(ImageFilter.GaussianBlur(max(photo.size) / 60))


def masked(photo):
    """White from the nose down, for faces in the middle of their photos."""
    photo = photo.copy()
    x, y = photo.size
    ImageDraw.Draw(photo).rectangle((0.32 * x, 0.53 * y, 0.68 * x, 0.72 * y), fill=(235, 240, 245))
    return photo


DAMAGE = {
    "as they are": lambda photo: photo,
    "dark (a tenth of the light)": lambda photo: lit(photo, 0.1),
    "very dark (a hundredth)": lambda photo: lit(photo, 0.01),
    "lit from the side": side_lit,
    "64 pixels wide or high": small,
    "turned by 20 degrees": turned,
    "blurred": blurred,
    "mouth and nose covered": masked,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=ROOT / "faces", type=pathlib.Path)
    parser.add_argument("--people", type=int, default=5)
    parser.add_argument("--photos", type=int, default=6)
    parser.add_argument("--program", default=ROOT / "target/release/eigenfaces", type=pathlib.Path)
    asked = parser.parse_args()
    program = asked.program.resolve()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        tried = []
        people = sorted(folder for folder in asked.folder.iterdir() if folder.is_dir())
        for person in people[: asked.people]:
            photos = sorted(path for path in person.iterdir() if path.is_file())
            (work / "enrolled" / person.name).mkdir(parents=True)
            for photo in photos[: asked.photos]:
                (work / "enrolled" / person.name / photo.name).symlink_to(photo.resolve())
            tried += [(person.name, photo) for photo in photos[asked.photos : 2 * asked.photos]]
        subprocess.run([program, "enroll", "enrolled", "-q"], cwd=work, check=True)
        print("| photos | named rightly | named wrongly | of |\n|---|---|---|---|")
        for kind, damage in DAMAGE.items():
            right = wrong = 0
            for number, (person, path) in enumerate(tried):
                photo = ImageOps.exif_transpose(Image.open(path)).convert("RGB")
                damage(photo).save(work / f"{number}.png")
            command = [program, "identify", *(f"{number}.png" for number in range(len(tried))), "--format", "json", "-q"]
            lines = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            answers = {answer["photo"]: answer for answer in map(json.loads, lines.splitlines())}
            for number, (person, _) in enumerate(tried):
                faces = answers.get(f"{number}.png", {}).get("faces", [])
                names = {face["person"] for face in faces if face["decision"] == "known"}
                right += person in names
                wrong += bool(names - {person})
            print(f"| {kind} | {right} | {wrong} | {len(tried)} |")


if __name__ == "__main__":
    main()
