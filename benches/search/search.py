"""The search among enrolled faces, beside others' on the same points: one thread each, taking turns.

Writes the section between two marks of docs/BENCHMARKS.md. Run by `run.sh`.
"""

import argparse
import pathlib
import statistics
import subprocess
import time

import faiss
import numpy as np
import sklearn
from sklearn.neighbors import NearestNeighbors

BEGIN, END = "<!-- search: begin -->", "<!-- search: end -->"
COUNT = 2  # Two people are wanted of every probe: the second tells how sure the first is.
WITHIN = 0.4  # Share of the variance that differs between photos of one person.
SLOPE = 1.25  # Variances fall as i^-1.25, as those of the LFW's photos do (fitted over the first 100).
SIZES = [400, 13_000, 100_000, 1_000_000]
DIMENSIONS = [32, 64, 100, 128]
TURN = 5  # queries in a row
SLOW = 0.05  # seconds: of a side that takes longer, four queries are enough
TREES_UP_TO = 100_000  # points: beyond that, trees over all coordinates take minutes to build
TOGETHER = 100  # queries asked for at once
ROUNDS = 5  # of queries asked for at once


class Data:
    """Points of one person each, and probes: other photos of some of them, and strangers."""

    def __init__(self, n, k, spectrum, probes, folder, seed=1):
        random = np.random.default_rng(seed)
        scale = np.ones(k) if spectrum == "whitened" else np.arange(1, k + 1) ** (-SLOPE / 2)
        self.scale = scale.astype(np.float32)

        def people(count):
            return self.draw(random, count) * np.float32((1 - WITHIN) ** 0.5)

        def photos(of):
            return of + self.draw(random, len(of)) * np.float32(WITHIN**0.5)

        self.points = people(n)
        probed = self.points[random.integers(0, n, probes)]
        for at in range(0, n, 100_000):
            self.points[at : at + 100_000] = photos(self.points[at : at + 100_000])
        # Other photos of people enrolled, and of strangers.
        self.queries = np.concatenate([photos(probed), photos(people(probes))])
        self.files = folder / "points.f32", folder / "queries.f32"
        self.points.tofile(self.files[0])
        self.queries.tofile(self.files[1])

    def draw(self, random, count):
        return random.standard_normal((count, len(self.scale)), dtype=np.float32) * self.scale


class Ours:
    """The worker that answers for the crate."""

    def __init__(self, worker, data, methods):
        command = [worker, *data.files, str(data.points.shape[1]), "1", *methods]
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.built = {}
        for line in self.process.stdout:
            if line.strip() == "ready":
                break
            method, nanoseconds = line.split()
            self.built[method] = int(nanoseconds) / 1e9

    def ask(self, method, queries):
        print(method, COUNT, *queries, file=self.process.stdin, flush=True)
        for _ in queries:
            nanoseconds, *found = map(int, self.process.stdout.readline().split())
            yield nanoseconds / 1e9, found

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(search, data):
    """Asks for queries one by one, or, of `@`, together; seconds a query, and the answers."""

    def ask(queries, together):
        if together:
            start = time.perf_counter()
            found = search(data.queries[queries])
            took = (time.perf_counter() - start) / len(queries)
            return [(took, list(row)) for row in found]
        answers = []
        for query in queries:
            probe = data.queries[query : query + 1]
            start = time.perf_counter()
            found = search(probe)[0]
            answers.append((time.perf_counter() - start, list(found)))
        return answers

    return ask


def peers(data):
    flat = faiss.IndexFlatL2(data.points.shape[1])
    flat.add(data.points)
    yield "FAISS IndexFlatL2", timed(lambda q: flat.search(q, COUNT)[1], data)
    brute = NearestNeighbors(n_neighbors=COUNT, algorithm="brute").fit(data.points)
    yield "scikit-learn brute", timed(lambda q: brute.kneighbors(q, return_distance=False), data)
    if len(data.points) <= TREES_UP_TO:
        tree = NearestNeighbors(n_neighbors=COUNT, algorithm="kd_tree").fit(data.points)
        yield "scikit-learn kd_tree", timed(lambda q: tree.kneighbors(q, return_distance=False), data)


def race(data, worker, crate_tree):
    """Median seconds a query of each side, one by one and together, and what building took."""
    methods = ["faces", "people", "leading"] + (["kdtree"] if crate_tree else [])
    ours = Ours(worker, data, methods)

    def asks(method):
        return lambda queries, together: list(ours.ask("@" * together + method, queries))

    sides = {method: asks(method) for method in methods} | dict(peers(data))
    seconds = {(side, together): [] for side in sides for together in (False, True)}
    wrong = 0
    every = list(range(len(data.queries)))
    # One by one, once more than is counted: whoever has just been waiting is not at its best.
    turns = [(every[at : at + TURN], False) for at in range(0, len(every), TURN)]
    turns += [(every[:TOGETHER], True)] * ROUNDS
    for queries, together in turns:
        truth = None
        for side, ask in sides.items():
            known = seconds[side, together]
            if len(known) >= 4 and statistics.median(known) > SLOW:
                continue
            answers = ask(queries if together else queries[:1] + queries, together)
            took, found = zip(*(answers if together else answers[1:]))
            known += took[:1] if together else took
            truth = truth or found
            # Others compute in f32, and may swap what is equally far but for rounding.
            wrong += side in ("faces", "kdtree", "leading") and list(map(set, found)) != list(map(set, truth))
    ours.close()
    assert not wrong, f"{wrong} wrong answers"
    medians = {key: statistics.median(times) for key, times in seconds.items()}
    return medians, ours.built


def shown(seconds):
    for unit, factor in [("s", 1), ("ms", 1e3), ("µs", 1e6)]:
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", help="n x k x spectrum, such as 1000000x100xplain; nothing is written")
    parser.add_argument("--dimensions", type=int, nargs="+", metavar="K",
                        help="these K only, such as 32 64 128: their rows join the table that is there")
    arguments = parser.parse_args()
    faiss.omp_set_num_threads(1)
    folder = arguments.target / "search"
    folder.mkdir(exist_ok=True)
    worker = arguments.target / "release/examples/search_worker"

    cases = [(n, k, s) for n in SIZES for k in DIMENSIONS for s in ["plain", "whitened"]]
    if arguments.dimensions:
        cases = [(n, k, s) for n in SIZES for k in arguments.dimensions for s in ["plain", "whitened"]]
    if arguments.quick:
        cases = [case for case in cases if case[0] <= 13_000]
    if arguments.only:
        n, k, spectrum = arguments.only.split("x")
        cases = [(int(n), int(k), spectrum)]
    rows, built = [], []
    for n, k, spectrum in cases:
        data = Data(n, k, spectrum, TOGETHER // 2, folder)
        medians, builds = race(data, worker, n <= TREES_UP_TO)
        for together in (False, True):
            rows.append(row(n, k, spectrum, together, medians))
            print(rows[-1], flush=True)
        built.append(f"| {n} x {k} | {spectrum} | {shown(builds['people'])} |")
        print(built[-1], flush=True)
    for file in data.files:
        file.unlink()
    if arguments.dimensions and not arguments.quick:
        join(rows)
    elif not arguments.only and not arguments.quick:
        write(rows, built)


def join(rows):
    """Puts rows into the table that stands in the page, in order, in place of those of the same cases."""
    page = pathlib.Path("docs/BENCHMARKS.md")
    before, section = page.read_text().split(BEGIN)
    section, after = section.split(END)
    lines = section.split("\n")
    first = next(at for at, line in enumerate(lines) if line.startswith("| n x K | spectrum | probes")) + 2
    last = next(at for at in range(first, len(lines) + 1) if not lines[at : at + 1] or not lines[at].startswith("|"))
    table = {case(line): line for line in lines[first:last] + rows}
    lines[first:last] = [table[key] for key in sorted(table)]
    page.write_text(before + BEGIN + "\n".join(lines) + END + after)


def case(line):
    """What a row is about, by which rows are in order."""
    size, spectrum, probes = [cell.strip() for cell in line.split("|")[1:4]]
    return *map(int, size.split(" x ")), spectrum, probes


PEERS = ["FAISS IndexFlatL2", "scikit-learn brute", "scikit-learn kd_tree", "kdtree", "leading"]


def row(n, k, spectrum, together, medians):
    ours = medians["faces", together]
    probes = f"{TOGETHER} together" if together else "one by one"
    cells = [f"{n} x {k}", spectrum, probes, shown(ours), shown(medians["people", together])]
    for peer in PEERS:
        theirs = medians.get((peer, together))
        cells.append("-" if theirs is None else f"{theirs / ours:.3g}x")
    return "| " + " | ".join(cells) + " |"


def write(rows, built):
    page = pathlib.Path("docs/BENCHMARKS.md")
    text = page.read_text()
    head = ["n x K", "spectrum", "probes", "faces", "people", "FAISS flat", "sklearn brute", "sklearn kd_tree",
            "kdtree, all coordinates", "kdtree, 12 leading"]
    about = pathlib.Path("benches/search/section.md").read_text().format(
        slope=SLOPE, within=WITHIN, faiss=faiss.__version__, sklearn=sklearn.__version__,
        date=time.strftime("%Y-%m-%d"))
    table = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *rows]
    builds = ["| n x K | spectrum | built in |", "|---|---|---|", *built]
    section = "\n".join([BEGIN, about, *table, "", "Building, on one thread:", "", *builds, END])
    if BEGIN in text:
        start, end = text.index(BEGIN), text.index(END) + len(END)
        text = text[:start] + section + text[end:]
    else:
        text = text.rstrip("\n") + "\n\n" + section + "\n"
    page.write_text(text)


main()
