"""Times whole commands and writes what people wait for, the last section of a page.

measure.py TARGET DATA PAGE
"""

import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

TARGET, DATA, PAGE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
PROGRAM = TARGET / "release" / "eigenfaces"
WORK = TARGET / "waiting"
RUNS = 5
BEGIN, END = "<!-- waiting: begin -->", "<!-- waiting: end -->"
LONG = 5.0  # seconds from which on three runs are enough

FACE_RECOGNITION = """
import pathlib, sys
import face_recognition
for path in sorted(pathlib.Path(sys.argv[1]).rglob('*')):
    if path.is_file():
        face_recognition.face_encodings(face_recognition.load_image_file(str(path)))
"""


def seconds(command, before=lambda: None):
    """Median and least time of a command in seconds; `before` runs each time first and is not timed."""
    times = []
    while len(times) < (RUNS if not times or times[0] < LONG else 3):
        before()
        start = time.perf_counter()
        ended = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        times.append(time.perf_counter() - start)
        # 3: some photos could not be used, and were named.
        if ended.returncode not in (0, 3):
            raise RuntimeError(f"{command}: {ended.stderr.decode()}")
    return statistics.median(times), min(times)


def some(source, target, photos):
    """A folder of the first people of a folder, at most so many photos."""
    shutil.rmtree(target, ignore_errors=True)
    for photo in sorted(source.rglob("*")):
        if photo.is_file() and photos > 0:
            folder = target / photo.parent.name
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(photo, folder)
            photos -= 1
    return target


def text(measured):
    median, least = measured
    unit, factor = ("ms", 1000) if median < 1 else ("s", 1)
    return f"{median * factor:.3g} {unit} ({least * factor:.3g})"


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    has_data = (DATA / "att").is_dir() and (DATA / "lfw").is_dir()
    bundled = pathlib.Path(__file__).parents[2] / "faces"
    att, model, fresh = DATA / "att" if has_data else bundled, WORK / "att.npz", WORK / "fresh.npz"
    few = some(att, WORK / "few", 25)
    press = some(DATA / "lfw" if has_data else bundled, WORK / "press", 60)
    one = att / ("s1/1.pgm" if has_data else "Ada/1.png")
    if not has_data:
        print(f"{DATA} is not there: the bundled faces stand for AT&T and for press photos, and no document is written", file=sys.stderr)
    ours = [PROGRAM, "--quiet", "--model"]
    away = lambda: fresh.unlink(missing_ok=True)
    python = sys.executable
    opencv = [python, pathlib.Path(__file__).parent.parent / "peers" / "opencv_program.py"]
    network = [python, "-c", FACE_RECOGNITION]
    subprocess.run([*map(str, ours), str(model), "enroll", str(att)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*map(str, ours), str(WORK / "press.npz"), "enroll", str(press)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*map(str, opencv), "enroll", str(att), str(WORK / "att.xml")], check=True)
    as_crops = ["--framing", "as-is", "--background", "none"]
    rows = []

    def row(what, command, peer=None, peer_command=None, before=lambda: None):
        mine = seconds(command, before)
        theirs = seconds(peer_command) if peer_command else None
        ratio = f"{theirs[0] / mine[0]:.2g}x" if theirs else ""
        rows.append(f"| {what} | {text(mine)} | {peer or ''} | {text(theirs) if theirs else ''} | {ratio} |")
        print(rows[-1], flush=True)

    row("`enroll` AT&T: 400 crops, faces found and aligned", [*ours, fresh, "enroll", att], before=away)
    row(
        "`enroll` AT&T as eigenfaces of the crops (`--background none --framing as-is`)",
        [*ours, fresh, "enroll", att, *as_crops],
        "OpenCV's eigenfaces, no confidence",
        [*opencv, "enroll", att, WORK / "opencv.xml"],
        away,
    )
    row(
        "`enroll` 25 crops of 3 people",
        [*ours, fresh, "enroll", few],
        "face_recognition: describing them",
        [*network, few],
        away,
    )
    row(
        "`enroll` 60 press photos of 250 x 250",
        [*ours, fresh, "enroll", press],
        "face_recognition: describing them",
        [*network, press],
        away,
    )
    row(
        "`identify` one photo, AT&T's model",
        [*ours, model, "identify", one],
        "OpenCV's eigenfaces",
        [*opencv, "identify", one, WORK / "att.xml"],
    )
    row("`identify` all 400 photos of AT&T", [*ours, model, "identify", att])
    row("`identify` 60 press photos", [*ours, WORK / "press.npz", "identify", press])
    row("`evaluate` AT&T: leave-one-out, strangers, other methods", [*ours, fresh, "evaluate", att])

    if not has_data:
        return
    cores = os.cpu_count()
    section = (
        f"{BEGIN}\n# What people wait for\n\n"
        "Written by `benches/waiting/run.sh`: whole commands, from start to end, the interpreter of Python included. Medians of five\n"
        "runs (three where one takes more than 5 s), the least in brackets; one command at a time. `face_recognition` is dlib's deep\n"
        "network, which tells people apart better on everyday photos (docs/RECIPES.md); here it only describes the faces.\n\n"
        f"Machine: {platform.machine()}, {cores} cores, {time.strftime('%Y-%m-%d')}.\n\n"
        "| | eigenfaces | beside it | its time | ratio |\n|---|---|---|---|---|\n" + "\n".join(rows) + f"\n{END}\n"
    )
    before, _, _ = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before.rstrip() + "\n\n" + section)


main()
