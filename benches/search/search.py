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
        self.probes = {"genuine": photos(probed), "stranger": photos(people(probes))}
        self.queries = np.concatenate(list(self.probes.values()))
        self.files = folder / "points.f32", folder / "queries.f32"
        self.points.tofile(self.files[0])
        self.queries.tofile(self.files[1])

    def of_kinds(self):
        """The positions of the queries of each kind."""
        count = len(self.queries) // len(self.probes)
        return {kind: list(range(at * count, (at + 1) * count)) for at, kind in enumerate(self.probes)}

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
            method, nanoseconds, size = line.split()
            self.built[method] = int(nanoseconds) / 1e9, int(size)

    def ask(self, method, queries):
        print(method, COUNT, *queries, file=self.process.stdin, flush=True)
        for _ in queries:
            nanoseconds, *found = map(int, self.process.stdout.readline().split())
            yield nanoseconds / 1e9, found

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(search, data):
    def ask(queries):
        for query in queries:
            probe = data.queries[query : query + 1]
            start = time.perf_counter()
            found = search(probe)
            yield time.perf_counter() - start, list(found)

    return ask


def peers(data):
    flat = faiss.IndexFlatL2(data.points.shape[1])
    flat.add(data.points)
    yield "FAISS IndexFlatL2", timed(lambda q: flat.search(q, COUNT)[1][0], data)
    brute = NearestNeighbors(n_neighbors=COUNT, algorithm="brute").fit(data.points)
    yield "scikit-learn brute", timed(lambda q: brute.kneighbors(q, return_distance=False)[0], data)
    if len(data.points) <= TREES_UP_TO:
        for name in ["kd_tree", "ball_tree"]:
            tree = NearestNeighbors(n_neighbors=COUNT, algorithm=name).fit(data.points)
            yield f"scikit-learn {name}", timed(
                lambda q, tree=tree: tree.kneighbors(q, return_distance=False)[0], data
            )


def race(data, worker, crate_tree):
    """Median seconds of each side for each kind of probe, and what building took."""
    methods = ["blocks", "linear", "leading", "people"] + (["kdtree"] if crate_tree else [])
    ours = Ours(worker, data, methods)
    sides = {method: (lambda queries, method=method: ours.ask(method, queries)) for method in methods}
    sides.update(peers(data))
    seconds = {(side, kind): [] for side in sides for kind in data.probes}
    wrong = 0
    for kind, queries in data.of_kinds().items():
        for turn in (queries[at : at + TURN] for at in range(0, len(queries), TURN)):
            truth = None
            for side, ask in sides.items():
                if len(seconds[side, kind]) >= 4 and statistics.median(seconds[side, kind]) > SLOW:
                    continue
                # Once more than is counted: whoever has just been waiting is not at its best.
                took, found = zip(*list(ask(turn[:1] + turn))[1:])
                seconds[side, kind] += took
                truth = truth or found
                # Others compute in f32, and may swap what is equally far but for rounding.
                wrong += side in methods and list(map(set, found)) != list(map(set, truth))
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
        data = Data(n, k, spectrum, 20 if n > 100_000 else 50, folder)
        medians, builds = race(data, worker, n <= TREES_UP_TO or k == 100)
        for kind in data.probes:
            rows.append(row(n, k, spectrum, kind, medians))
            print(rows[-1], flush=True)
        built.append(f"| {n} x {k} | {spectrum} | {shown(builds['blocks'][0])} | "
                     f"{1 + builds['blocks'][1] / (4 * n * k):.2f} |")
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
    first = next(at for at, line in enumerate(lines) if line.startswith("| n x K | spectrum | probe")) + 2
    last = next(at for at in range(first, len(lines) + 1) if not lines[at : at + 1] or not lines[at].startswith("|"))
    table = {case(line): line for line in lines[first:last] + rows}
    lines[first:last] = [table[key] for key in sorted(table)]
    page.write_text(before + BEGIN + "\n".join(lines) + END + after)


def case(line):
    """What a row is about, by which rows are in order."""
    size, spectrum, probe = [cell.strip() for cell in line.split("|")[1:4]]
    return *map(int, size.split(" x ")), spectrum, probe


PEERS = ["FAISS IndexFlatL2", "scikit-learn brute", "scikit-learn kd_tree", "scikit-learn ball_tree",
         "kdtree", "leading", "linear"]


def row(n, k, spectrum, kind, medians):
    ours = medians["blocks", kind]
    cells = [f"{n} x {k}", spectrum, kind, shown(ours), shown(medians["people", kind])]
    for peer in PEERS:
        theirs = medians.get((peer, kind))
        cells.append("-" if theirs is None else f"{theirs / ours:.3g}x")
    return "| " + " | ".join(cells) + " |"


def write(rows, built):
    page = pathlib.Path("docs/BENCHMARKS.md")
    text = page.read_text()
    head = ["n x K", "spectrum", "probe", "blocks", "people", "FAISS flat", "sklearn brute", "sklearn kd_tree",
            "sklearn ball_tree", "kdtree, all coordinates", "kdtree, 12 leading", "linear"]
    about = pathlib.Path("benches/search/section.md").read_text().format(
        slope=SLOPE, within=WITHIN, faiss=faiss.__version__, sklearn=sklearn.__version__,
        date=time.strftime("%Y-%m-%d"))
    table = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *rows]
    builds = ["| n x K | spectrum | built in | memory, of the points alone |", "|---|---|---|---|", *built]
    section = "\n".join([BEGIN, about, *table, "", "Building, on one thread:", "", *builds, END])
    if BEGIN in text:
        start, end = text.index(BEGIN), text.index(END) + len(END)
        text = text[:start] + section + text[end:]
    else:
        text = text.rstrip("\n") + "\n\n" + section + "\n"
    page.write_text(text)


main()
