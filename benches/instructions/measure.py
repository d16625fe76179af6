#!/usr/bin/env python3
"""Instructions that small runs of the program take: steady on a busy machine, where seconds are not.

    benches/instructions/measure.py PROGRAM [--beside TABLE]

Everything is made of three people's pictures in faces/, by one thread, counted by valgrind (with AVX2: it knows no AVX-512). Prints a table in
Markdown; with --beside, the table of an earlier build, also the ratio of that to this. Needs Python's
standard library only.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACES = "faces"
PROBE = ROOT / "assets/probes/stranger-1.png"

# Name, arguments; each runs on what those before have left.
RUNS = [
    ("enroll", ["enroll", FACES]),
    ("enroll, no background", ["enroll", FACES, "--background", "none", "-m", "classic.npz"]),
    ("enroll again, nothing new", ["enroll", FACES]),
    ("info", ["info"]),
    ("identify 1", ["identify", PROBE]),
    ("identify all", ["identify", FACES]),
    ("identify all, no background", ["identify", FACES, "-m", "classic.npz"]),
    ("verify 2", ["verify", "faces/Ada/1.png", "faces/Ada/2.png"]),
    ("group, new", ["group", FACES]),
    ("group, looked at before", ["group", FACES]),
    ("people add", ["people", "add", "Zoe", PROBE]),
    ("people rename", ["people", "rename", "Zoe", "Abe"]),
]


def counted(program, arguments, folder):
    """Millions of instructions of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--threads", "1", *map(str, arguments)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "XDG_CACHE_HOME": folder})
    found = re.search(r"Collected : (\d+)", run.stderr)
    # 3: done, but some photos could not be used.
    if run.returncode not in (0, 3) or not found:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr}")
    return int(found[1]) / 1e6


def earlier(path):
    """The counts of a table, by name."""
    rows = re.findall(r"^\| ([^|]+?) \| ([\d.]+) \|", path.read_text(), re.MULTILINE)
    return {name: float(count) for name, count in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--beside", type=pathlib.Path)
    arguments = parser.parse_args()
    before = earlier(arguments.beside) if arguments.beside else {}
    more = " before | before / now |" if before else ""
    print(f"| run | million instructions |{more}\n|---|---|{'---|---|' if before else ''}")
    with tempfile.TemporaryDirectory() as folder:
        for person in ["Ada", "Boris", "Chiara"]:
            shutil.copytree(ROOT / "faces" / person, pathlib.Path(folder, FACES, person))
        for name, run in RUNS:
            now = counted(arguments.program.resolve(), run, folder)
            was = before.get(name)
            more = f" {was:.0f} | {was / now:.2f} |" if was else " | |" if before else ""
            print(f"| {name} | {now:.0f} |{more}", flush=True)


if __name__ == "__main__":
    main()
