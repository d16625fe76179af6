#!/usr/bin/env python3
"""Measures the tables of a document again.

    benches/figures/remake.py README.md
    benches/figures/remake.py docs/RECIPES.md [TABLE...] [--write] [--data ../shared/data]

A table that can be measured again stands between `<!-- measured: TABLE -->` and `<!-- end -->`. Without --write the lines that came out
otherwise are printed, and the exit code says whether there are any. Some tables take many minutes; TABLE names some of them. Where the data is absent, the tables that can be made of the bundled faces are printed, so that one sees
that they are made; the documents stay as they are.

Needs Rust and Python; the table `deep-network` installs what it compares with under target/.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
PROGRAM = TARGET / "release/eigenfaces"
EXAMPLES = TARGET / "release/examples"


def run(*command, folder=ROOT):
    """Standard output of a command; what it says besides is shown while it runs."""
    done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, text=True)
    # 3: done, but some photos could not be used.
    if done.returncode not in (0, 3):
        sys.exit(f"{command[0]} ended with {done.returncode}")
    return done.stdout


def share(value, digits):
    """A share without its leading zero: .987."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        return "0"
    return text.removeprefix("0")


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def head(*cells):
    return [row(*cells), "|" + "---|" * len(cells)]


# --- Who is named ---

SMALL = re.compile(
    r"(\d+) x (\d+)\s+rank-1 ([\d.]+)  named ([\d.]+)  wrong ([\d.]+)  strangers ([\d.]+)  calibration error ([\d.]+)"
)


def small(folder, sizes, *options):
    """(people, photos, figures by name) for each size of gallery."""
    found = []
    for match in SMALL.finditer(run(EXAMPLES / "small_galleries", folder, *options, *sizes)):
        people, photos, *figures = match.groups()
        names = ("rank1", "named", "wrong", "strangers", "error")
        found.append((int(people), int(photos), dict(zip(names, map(float, figures)))))
    return found


def who_is_named(data):
    as_is = "framing=as-is"
    sets = [
        ("LFW", "lfw", "1x1 1x2 1x5 2x5 5x1 5x5 10x3 20x5 31x10", [f"strangers={data / 'lfw-strangers'}"]),
        ("AT&T", "att", "1x1 1x5 2x1 5x1 10x1 5x5 10x5 40x1", []),
        ("Yale", "yale", "1x1 1x5 2x5 5x5", []),
        ("AT&T, as is", "att", "1x5 5x5", [as_is]),
        ("Yale, as is", "yale", "1x5 5x5 10x5", [as_is]),
    ]
    everybody = {("LFW", 31), ("CFP frontal", 125), ("AT&T", 40)}
    yield from head("people x photos", "rank-1", "told the right name", "a wrong one", "strangers named", "calibration error")
    for name, folder, sizes, options in sets:
        for people, photos, found in small(data / folder, sizes.split(), *options):
            alone = people == 1
            # With everybody enrolled there are strangers only where others are given.
            has_strangers = (name, people) not in everybody or options
            yield row(
                f"{name} {people} x {photos}" + (", everybody" if (name, people) in everybody else ""),
                "" if alone else share(found["rank1"], 3),
                share(found["named"], 2),
                "" if alone else share(found["wrong"], 3),
                share(found["strangers"], 3) if has_strangers else "",
                share(found["error"], 2) if has_strangers else "",
            )


def relit(data):
    yield from head("light from", "Yale", "AT&T")
    for angles, name in (("25-50", "25 to 50 degrees"), ("50-77", "50 to 77"), ("77-90", "77 to 90")):
        cells = []
        for folder in ("yale", "att"):
            [(_, _, found)] = small(data / folder, ["10x5"], f"light={angles}")
            cells.append(f"{share(found['rank1'], 3)}, {share(found['named'], 2)}")
        yield row(name, *cells)


def side_light(data):
    return run(sys.executable, ROOT / "benches/light/measure.py", data / "yale-light", "--half", "--program", PROGRAM).splitlines()


def asked_of(enrolled, probes):
    """Probes nearest to the right person, told the right name, and a wrong one; a photo's folder is its person."""
    with tempfile.TemporaryDirectory() as work:
        gallery = pathlib.Path(work) / "gallery"
        for photo in enrolled:
            (gallery / photo.parent.name).mkdir(parents=True, exist_ok=True)
            (gallery / photo.parent.name / photo.name).symlink_to(photo.resolve())
        run(PROGRAM, "enroll", "-q", gallery, folder=work)
        asked = [photo.resolve() for photo in probes]
        lines = run(PROGRAM, "identify", "-q", "--format", "json", *asked, folder=work).splitlines()
    near = named = wrong = 0
    for photo, line in zip(probes, lines, strict=True):
        for face in json.loads(line)["faces"][:1]:
            right = face["candidates"][0]["person"] == photo.parent.name
            near += right
            named += right and face["decision"] == "known"
            wrong += not right and face["decision"] == "known"
    return near, named, wrong


def appearance(data):
    """Yale, whose photos are named after what the person wears or does, and where the lamp stands."""
    people = sorted(entry for entry in (data / "yale").iterdir() if entry.is_dir())
    kinds = ("noglasses", "glasses", "happy", "sad", "sleepy", "surprised", "wink", "centerlight", "leftlight", "rightlight")
    yield from head("photo asked", "of people", "enrolled from `normal` alone: nearest, named, wrong", "from all others: nearest, named, wrong")
    for kind in kinds:
        probes, alone, others = [], [], []
        for person in people:
            photos = {photo.stem: photo for photo in person.iterdir()}
            # Some people's photos of two names are one file: these are not asked.
            content = {name: photo.read_bytes() for name, photo in photos.items()}
            if kind not in photos or any(content[kind] == content[name] for name in photos if name != kind):
                continue
            probes.append(photos[kind])
            alone.append(photos["normal"])
            others += [photo for name, photo in photos.items() if name != kind]
        cells = (" ".join(f"{count}," for count in asked_of(enrolled, probes)).rstrip(",") for enrolled in (alone, others))
        yield row(kind, len(probes), *cells)


# --- Everybody enrolled ---


def evaluated(folder, *options):
    return json.loads(run(PROGRAM, "evaluate", folder, "-q", "--format", "json", *options))


def everybody(data):
    yield from head("rank-1, %", "default", "`--background none`")
    for name, folder, protocol in [
        ("AT&T, photos 1 to 5", "att", "first:5"),
        ("AT&T, 1 random photo, 20 splits", "att", "random:1x20"),
        ("LFW, 5 random photos, 10 splits", "lfw", "random:5x10"),
        ("LFW, 10", "lfw", "random:10x10"),
    ]:
        protocol = ["--protocol", protocol]
        found = [evaluated(data / folder, *protocol, "--background", prior)["rank1"] for prior in ("bundled", "none")]
        yield row(name, *(f"{100 * rank1:.1f}" for rank1 in found))


def pairs(data):
    asked = ["--pairs", data / "lfw-world-pairs.tsv", "--background", "other-folds"]
    return evaluated(data / "lfw-world", *asked)


def view2(data):
    found = pairs(data)
    yield from head("pairs", "told rightly", "area under the curve", "equal error rate")
    accuracy = f"{100 * found['accuracy']:.1f} ± {100 * found['standard_error']:.1f} %"
    equal = f"{100 * found['equal_error_rate']:.1f} %"
    yield row(f"{found['pairs']:,}", accuracy, share(found["area_under_curve"], 3), equal)


# --- Groups and pairs ---


def groups(data):
    columns = []
    for folders in (["lfw", "lfw-strangers"], ["att"]):
        lines = run(EXAMPLES / "group_faces", *(data / folder for folder in folders)).splitlines()
        found = {"faces": lines[0].split()[0]}
        for line in lines[1:]:
            name, _, figures = line.partition("  ")
            precision, recall, count = re.findall(r"\.?\d[\d.]*", figures)[:3]
            found[name.strip()] = f"{share(float(precision), 3)} / {share(float(recall), 3)}, {count}"
        columns.append(found)
    yield from head("", "LFW: 31 people x 20, and 200 strangers", "CFP, frontal: 125 x 10", "AT&T: 40 x 10")
    for name in columns[0]:
        yield row(name, *(column.get(name, "") for column in columns))


# Of quiet tests each prints a dot.
VERIFY = re.compile(r"^\.*(?:test .*\.\.\. )?(.+): false accepts ([\d.]+) at 0\.01, ([\d.]+) at 0\.001 of (\d+) pairs; true accepts ([\d.]+|NaN), ([\d.]+|NaN) of (\d+)$")


def verify(data):
    test = ["--test", "library", "verify_real::", "--", "--nocapture", "--test-threads", "1"]
    os.environ["EIGENFACES_DATA"] = str(data)
    found = [VERIFY.match(line) for line in run("cargo", "test", "-q", "--locked", *test).splitlines()]
    yield from head("asked about", "strangers' pairs", "accepted at `--far 0.01`", "at 0.001", "true pairs", "accepted at 0.01 / 0.001")
    for match in sorted((match.groups() for match in found if match), key=lambda cells: cells[0]):
        name, false01, false001, strangers, true01, true001, own = match
        accepted = "" if own == "0" else f"{share(float(true01), 3)} / {share(float(true001), 3)}"
        own = "" if own == "0" else own
        yield row(name, strangers, share(float(false01), 4), share(float(false001), 5), own, accepted)


# --- Beside others ---


def deep_network(data):
    """examples/small_galleries and face_recognition on the same draws."""
    yield from head("five people, five photos each", "rank-1", "right name", "wrong name", "strangers named", "no face found in")
    said = run("benches/small/run.sh", data)
    names = iter(("LFW", "CFP, frontal", "AT&T"))
    for line in said.splitlines():
        if match := SMALL.search(line):
            name = next(names)
            figures = [float(figure) for figure in match.groups()[2:6]]
            yield row(f"{name}: eigenfaces", *(share(figure, 3) for figure in figures), "0")
        elif line.startswith("face_recognition"):
            figures = [float(figure) for figure in re.findall(r"[\d.]+(?=  |$)", line.split(maxsplit=2)[2])]
            yield row(f"{name}: face_recognition", *(share(figure, 3) for figure in figures))


def rate(told, key):
    """A rate and its interval, in per cent."""
    if told.get(key) is None:
        return ""
    low, high = told[key + "_interval"]
    return f"{100 * told[key]:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def peers(data):
    """benches/accuracy: this program and others on the same splits."""
    yield from head("", "rank-1, %", "FNIR at FPIR 1 %, %", "no face found, %")
    run("benches/accuracy/run.sh", data)
    systems = ("eigenfaces", "face_recognition", "opencv-lbph", "opencv-fisher", "opencv-eigen", "scikit-learn")
    for folder, name in (("att", "AT&T"), ("lfw", "LFW"), ("yale", "Yale")):
        for system in systems:
            told = json.loads((TARGET / "accuracy" / folder / f"{system}.json").read_text(encoding="utf-8"))
            yield row(
                f"{name}: {system}",
                rate(told, "rank1"),
                rate(told["open_set"], "fnir_at_fpir_1pct"),
                rate(told, "failure_to_acquire_rate"),
            )


# --- README ---


def first_five_named(folder):
    """The first five photos of each person are enrolled, the others asked: their number, and `asked`'s counts."""
    enrolled, probes = [], []
    for person in sorted(entry for entry in folder.iterdir() if entry.is_dir()):
        photos = sorted(person.iterdir(), key=lambda photo: (len(photo.name), photo.name))
        enrolled += photos[:5]
        probes += photos[5:]
    return len(probes), *asked_of(enrolled, probes)


def readme(data):
    yield from head("", "nearest to the right person", "told the right name", "a wrong one", "strangers named")
    asked, near, named, wrong = first_five_named(data / "att")
    percent = lambda value: f"{100 * value:.1f} %".replace(".0 %", " %")
    yield row(f"AT&T: 40 people, five photos each; their other {asked}", *(percent(count / asked) for count in (near, named, wrong)), "")
    [(_, _, found)] = small(data / "lfw", ["31x10"], f"strangers={data / 'lfw-strangers'}")
    figures = (percent(found[name]) for name in ("rank1", "named", "wrong", "strangers"))
    yield row("LFW: 31 people, ten press photos each; up to five others of each, and 199 strangers", *figures)
    found = pairs(data)
    yield ""
    yield (
        f"The standard benchmark, LFW's View 2 (unrestricted, label-free outside data): {100 * found['accuracy']:.1f} ± "
        f"{100 * found['standard_error']:.1f} % of {found['pairs']:,} pairs are told rightly."
    )


def own_background(data):
    """A background model learned from CFP's people, beside the bundled one."""
    file = pathlib.Path(tempfile.mkdtemp()) / "own.npz"
    source = ["--source", "Celebrities in Frontal-Profile", "--license", "research", "-q"]
    run(PROGRAM, "background", data / "cfp-frontal", "-o", file, *source)
    yield from head("", "from CFP's 125 people", "bundled")
    strangers = f"strangers={data / 'lfw-strangers'}"
    for name, folder, options in (("LFW", "lfw", [strangers]), ("AT&T", "att", [])):
        both = [small(data / folder, ["5x5", "5x1", "10x3"], *options, *more) for more in ([f"background={file}"], [])]
        for (people, photos, own), (_, _, bundled) in zip(*both):
            figures = (
                f"{share(found['rank1'], 3)}, {share(found['named'], 2)} / {share(found['strangers'], 3)}"
                for found in (own, bundled)
            )
            yield row(f"{name}, {people} x {photos}", *figures)


def faces_found(data):
    """Faces found, beside OpenCV's Haar cascade."""
    yield from run("benches/found/run.sh", PROGRAM, data).splitlines()


TABLES = {
    "README.md": {"recognition": readme},
    "RECIPES.md": {
        "who-is-named": who_is_named,
        "everybody": everybody,
        "view-2": view2,
        "deep-network": deep_network,
        "peers": peers,
        "relit": relit,
        "side-light": side_light,
        "appearance": appearance,
        "groups": groups,
        "verify": verify,
        "faces-found": faces_found,
        "own-background": own_background,
    },
}


def bundled():
    """What a clone without the data can show: that figures are made, of easy faces."""
    faces = ROOT / "faces"
    yield "examples/small_galleries on the bundled faces:"
    for people, photos, found in small(faces, ["5x1", "5x3"]):
        yield f"  {people} x {photos}: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items())
    yield f"evaluate, first:4: rank-1 {100 * evaluated(faces, '--protocol', 'first:4')['rank1']:.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--write", action="store_true", help="write the tables into the document")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    asked = parser.parse_args()
    known = TABLES.get(asked.document.name)
    if known is None:
        sys.exit(f"{asked.document}: its tables are not measured here; {' and '.join(TABLES)} are")
    unknown = [name for name in asked.tables if name not in known]
    if unknown:
        sys.exit(f"{unknown[0]}: no such table of {asked.document.name}; there are {', '.join(known)}")
    build = ["cargo", "build", "--quiet", "--release", "--locked", "--features", "maintainer", "--bin", "eigenfaces"]
    run(*build, "--example", "small_galleries", "--example", "group_faces")
    data = asked.data.resolve()
    if not (data / "lfw").is_dir():
        print(f"{data} is not there: docs stay as they are")
        print("\n".join(bundled()))
        return
    differ = False
    for name in asked.tables or known:
        print(f"{name} ...", file=sys.stderr)
        lines = list(known[name](data))
        text = asked.document.read_text(encoding="utf-8")
        start = f"<!-- measured: {name} -->\n"
        before, found, after = text.partition(start)
        if not found:
            sys.exit(f"{asked.document} has no line {start.strip()}")
        old, _, after = after.partition("<!-- end -->")
        new = "\n".join(["", *lines, "", ""])
        if asked.write:
            asked.document.write_text(before + start + new + "<!-- end -->" + after, encoding="utf-8")
        stood = old.splitlines()
        for line in lines:
            if line not in stood:
                differ = True
                print(f"{name}: {line}")
    sys.exit(1 if differ and not asked.write else 0)


if __name__ == "__main__":
    main()
