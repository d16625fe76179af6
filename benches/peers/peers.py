"""eigenfaces against scikit-learn, OpenCV and NumPy: same pixels, same threads, one run, taking turns.

Started by run.sh. Writes docs/BENCHMARKS.md (see report.py); the numbers as measured go to
target/peers/results.json.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

import report
from processes import Answering, PythonSide, TooLong, run_whole

K = 100
# (d as width x height, number of faces P)
SIZES = [((92, 112), 400), ((47, 62), 1288), ((100, 100), 3000), ((64, 64), 13233), ((250, 250), 2000)]
QUICK = [((92, 112), 400), ((24, 30), 1500)]
# OpenBLAS threads spin for some 25 ms after a product: let them rest before the other side's turn.
REST = 0.06


class Clock:
    """How much time is left for the whole run."""

    def __init__(self, budget):
        self.end = time.monotonic() + budget

    def left(self):
        return self.end - time.monotonic()


def rounds_for(seconds, quick):
    """Timed runs of something that takes this long."""
    if quick:
        return 2
    return 5 if seconds < 5 else 3 if seconds < 20 else 1


class Size:
    """One size of the race: its files, its two sides, and what was measured."""

    def __init__(self, bench, size, count):
        self.bench, self.size, self.count = bench, size, count
        self.d = size[0] * size[1]
        self.side = min(self.d, count)
        stem = os.path.join(bench.folder, f"{self.d}x{count}")
        self.faces, self.reference, self.dump = stem + ".npy", stem + "-reference.npz", stem + "-ours"
        self.att = bench.att if size == (92, 112) and count == 400 else None
        self.ours = Answering([bench.fit_npy, self.faces, f"{size[0]}x{size[1]}"], bench.threads)
        self.peers = bench.python_side
        self.result = {"d": self.d, "P": count, "pixels": "AT&T faces" if self.att else "drawn", "ours": {}, "peers": {}}

    def prepare(self):
        self.peers.put("make", path=self.faces, count=self.count, size=self.size, att=self.att)
        self.open()
        self.peers.put("reference")

    def open(self):
        self.peers.put("open", faces=self.faces, size=self.size, reference=self.reference)

    def fit_ours(self, route="auto"):
        time.sleep(REST)
        entry = self.result["ours"].setdefault(route, {"seconds": []})
        entry["seconds"].append(float(self.ours.ask(f"fit {route}")))
        return entry

    def check_ours(self, route):
        entry = self.fit_ours(route)
        entry["seconds"].clear()  # the first run warms up
        entry["route"] = self.ours.ask(f"dump {self.dump}")
        entry.update(self.peers.put("errors", prefix=self.dump))
        self.bench.say(f"  ours {route}: subspace error {entry['angle']:.1e}")

    def our_routes(self):
        other = "covariance" if self.count < self.d else "gram"
        return ["auto", other] if max(self.d, self.count) <= 3000 else ["auto"]

    def cases(self):
        """(name, what to ask, limit in seconds, slow) of the peers at this size."""
        small = self.side <= 1500
        f32 = {"library": "sklearn", "dtype": "f32"}
        f64 = {"library": "sklearn", "dtype": "f64"}
        yield "scikit-learn arpack f32", {**f32, "svd_solver": "arpack"}, 60, False
        yield "scikit-learn auto f32", {**f32, "svd_solver": "auto"}, 60, False
        randomized = {"svd_solver": "randomized", "iterated_power": 20}
        yield "scikit-learn randomized, 20 iterations, f32", {**f32, **randomized}, 60, False
        if self.d <= 4096:
            yield "scikit-learn covariance_eigh f32", {**f32, "svd_solver": "covariance_eigh"}, 60, False
            yield "scikit-learn covariance_eigh f64", {**f64, "svd_solver": "covariance_eigh"}, 60, False
        if small:
            yield "scikit-learn arpack f64", {**f64, "svd_solver": "arpack"}, 60, False
        if self.side <= 400:
            yield "scikit-learn full f64", {**f64, "svd_solver": "full"}, 60, False
        yield "scikit-learn full f32", {**f32, "svd_solver": "full"}, 60, not small
        yield "NumPy svd f32", {"library": "numpy", "dtype": "f32"}, 60, not small
        yield "OpenCV EigenFaceRecognizer(100)", {"library": "opencv", "dtype": "u8"}, 120, not small

    def race(self, name, question, limit):
        """Ours, the peer, ours, the peer, ..."""
        entry = self.result["peers"].setdefault(name, {"seconds": []})
        limit = min(limit, self.bench.clock.left())
        if limit < 5:
            entry["note"] = "not run: out of time"
            return
        rounds = done = 0
        try:
            while done == 0 or done < rounds:
                self.fit_ours()
                time.sleep(REST)
                answer = self.peers.put("fit", limit, **question)
                if done == 0:
                    entry["solver"] = answer.get("solver")
                    entry.update(self.peers.put("errors"))
                    rounds = rounds_for(answer["seconds"], self.bench.quick)
                    if rounds == 5 and answer["seconds"] < 1 and not entry.get("warm"):
                        entry["warm"] = True  # not timed: the first run warms up
                        continue
                entry["seconds"].append(answer["seconds"])
                done += 1
            self.bench.say(f"  {name}: {statistics.median(entry['seconds']):.3f} s, error {entry['angle']:.1e}")
        except TooLong:
            entry["note"] = f"> {limit:.0f} s"
            self.bench.say(f"  {name}: {entry['note']}")

    def same_bits(self):
        """Whether other threads, another order and chunks give the same bits."""
        alone = Answering(self.ours.command, 1)
        digests = {}
        for name, side, route in [
            ("2 threads", self.ours, "auto"),
            ("1 thread", alone, "auto"),
            ("another order", self.ours, "shuffled"),
        ]:
            side.ask(f"fit {route}")
            digests[name] = side.ask("digest")
        alone.end()
        same = {f"{self.bench.threads} threads, 1 thread and another order": len(set(digests.values())) == 1}
        if self.d <= 4096:
            chunks = [self.ours.ask(f"fit {route}") and self.ours.ask("digest") for route in ("covariance", "stream")]
            same["covariance at once and in chunks"] = chunks[0] == chunks[1]
        self.result["same bits"] = same
        self.bench.say(f"  same bits: {same}")

    def products(self, threads):
        """Uncentred products alone: our kernels and BLAS."""
        ours, peers = (self.ours, self.peers) if threads == self.bench.threads else self.other_threads(threads)
        kernels = ours.ask("kernels").split()
        work = self.d * self.count * self.side
        if work > (1e11 if threads > 1 else 1e10):
            kernels.remove("portable")  # up to half a minute a run
        asks = [(name, lambda name=name: float(ours.ask(f"products {name}"))) for name in kernels]
        for library, name in (("numpy", "NumPy matmul f32"), ("scipy", "SciPy ssyrk f32")):
            asks.append((name, lambda library=library: peers.put("products", library=library)["seconds"]))
        taken = {name: [] for name, _ in asks}
        for turn in range(6):
            for name, ask in asks:
                # Slow ones (portable, one thread) need fewer.
                if turn > 0 and (taken[name] or [0])[0] > 1 or turn > 2 and self.bench.quick:
                    continue
                time.sleep(REST)
                seconds = ask()
                if turn > 0 or seconds > 1:
                    taken[name].append(seconds)
        self.result.setdefault("products", {})[str(threads)] = taken
        self.bench.say(f"  products, {threads} threads: {({k: round(statistics.median(v), 4) for k, v in taken.items()})}")
        if threads != self.bench.threads:
            ours.end()
            peers.end()

    def other_threads(self, threads):
        peers = PythonSide(sys.executable, threads)
        peers.put("open", faces=self.faces, size=self.size, reference=self.reference)
        return Answering(self.ours.command, threads), peers


class Bench:
    def __init__(self, options):
        self.threads, self.quick = options.threads, options.quick
        self.clock = Clock(options.budget)
        self.folder = os.path.abspath(os.path.join(options.target, "peers"))
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        release = os.path.abspath(os.path.join(options.target, "release"))
        self.fit_npy = os.path.join(release, "examples", "fit_npy")
        self.program = os.path.join(release, "eigenfaces")
        att = os.path.abspath(os.path.join(options.data, "att"))
        self.att = att if os.path.isdir(att) else None
        self.python_side = PythonSide(sys.executable, self.threads)
        self.results = {"machine": machine(self.python_side, self.threads)}

    def say(self, text):
        print(f"[{self.clock.left():4.0f} s left] {text}", flush=True)

    def run(self):
        sizes = [Size(self, *shape) for shape in (QUICK if self.quick else SIZES)]
        self.results["sizes"] = [size.result for size in sizes]
        for size in sizes:
            self.say(f"{size.d} x {size.count}")
            size.prepare()
            for route in size.our_routes():
                size.check_ours(route)
                if route != "auto":
                    for _ in range(5):
                        size.fit_ours(route)
            for name, question, limit, slow in size.cases():
                if not slow:
                    size.race(name, question, limit)
            while len(size.result["ours"]["auto"]["seconds"]) < 3:
                size.fit_ours()  # no time was left for peers
            size.same_bits()
            for threads in dict.fromkeys((self.threads, 1)):
                size.products(threads)
            size.ours.end()
            if size is sizes[0]:
                self.whole_process(size)
        self.memory(sizes)
        self.slow_peers(sizes)
        for size in sizes:
            size.ours.end()
        self.python_side.end()
        self.results["machine"]["Load after"] = "%.2f %.2f %.2f" % os.getloadavg()

    def slow_peers(self, sizes):
        """One run each, as long as there is time: the quicker first, OpenCV where it may end at all."""
        waiting = [
            (0 if question["library"] != "opencv" else size.side, size, name, question, limit)
            for size in sizes
            for name, question, limit, slow in size.cases()
            if slow
        ]
        waiting.sort(key=lambda item: item[0])
        # OpenCV's best chance comes first, then the full decompositions, then what will hardly end.
        opencv = [item for item in waiting if item[0]]
        waiting = opencv[:1] + [item for item in waiting if not item[0]] + opencv[1:]
        for _, size, name, question, limit in waiting:
            if self.clock.left() < 5:
                size.result["peers"][name] = {"seconds": [], "note": "not run: out of time"}
                continue
            self.say(f"{size.d} x {size.count}")
            if self.python_side.opened["faces"] != size.faces or self.python_side.process is None:
                size.open()
            size.race(name, question, limit)
            size.ours.end()

    def whole_process(self, size):
        """From files to a saved model, and one photo from a cold start; interpreter and program start included."""
        folder = self.att
        if folder is None:
            folder = os.path.join(self.folder, "photos")
            self.python_side.put("write_photos", folder=folder)
        person = sorted(os.listdir(folder))[0]
        photo = os.path.join(folder, person, sorted(os.listdir(os.path.join(folder, person)))[0])
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opencv_program.py")
        model, theirs = os.path.join(self.folder, "ours.npz"), os.path.join(self.folder, "theirs.yml")
        ours = [self.program, "--model", model, "--threads", str(self.threads), "--quiet"]
        # OpenCV takes pictures whole, and drawn ones show no face.
        same = ["--size", f"{size.size[0]}x{size.size[1]}", "--components", str(K), "--framing", "as-is"]
        commands = {
            "enroll": {
                "ours": [*ours, "enroll", folder, *same],
                "ours, default settings": [*ours, "enroll", folder, "--framing", "as-is"],
                "OpenCV": [sys.executable, script, "enroll", folder, theirs],
            },
            "identify": {
                "ours": [*ours, "identify", photo],
                "OpenCV": [sys.executable, script, "identify", photo, theirs],
            },
        }
        whole = self.results["whole process"] = {"files": size.count}
        for task, sides in commands.items():
            taken = whole[task] = {name: [] for name in sides}
            if task == "identify":
                os.path.exists(model) and os.remove(model)
                run_whole(commands["enroll"]["ours"], self.threads)
            for turn in range(3 if self.quick else 8):
                for name, command in sides.items():
                    if task == "enroll" and os.path.exists(model):
                        os.remove(model)
                    time.sleep(REST)
                    seconds, _, output = run_whole(command, self.threads)
                    if turn > 0:  # the first reads the files into the cache
                        taken[name].append(seconds)
                    if task == "identify":
                        whole.setdefault("answers", {})[name] = output.strip().rsplit("/", 1)[-1]
        self.say(f"  whole process: {whole}")

    def memory(self, sizes):
        """Peaks of whole processes that do nothing else."""
        memory = self.results["memory"] = []
        for size in sizes:
            size.ours.end()
            alone = Answering(size.ours.command, self.threads)
            alone.ask("fit auto")
            memory.append((f"fit of {size.count} faces of {size.size[0]}x{size.size[1]}", alone.end()))
        faces = 20_000 if self.quick else 200_000
        seconds, peak, output = run_whole([self.fit_npy, "stream", str(faces)], self.threads)
        memory.append((f"streaming fit of {faces} faces of 64x64", peak))
        self.results["stream"] = {"faces": faces, "seconds": [float(part) for part in output.split()]}
        self.say(f"  memory: {[(what, round(peak / 1e6)) for what, peak in memory]}, stream {output.strip()}")


def machine(python_side, threads):
    """What the numbers hold for."""
    cpu, flags = platform.processor() or platform.machine(), []
    if os.path.exists("/proc/cpuinfo"):
        lines = [line.split(":", 1) for line in open("/proc/cpuinfo") if ":" in line]
        fields = {key.strip(): value.strip() for key, value in reversed(lines)}
        cpu = fields.get("model name", cpu)
        if "cpu family" in fields:
            cpu += f" (family {fields['cpu family']}, model {fields['model']})"
        known = ("avx2", "fma", "avx_vnni", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_int8", "asimd", "asimddp")
        flags = [flag for flag in known if flag in fields.get("flags", fields.get("Features", "")).split()]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    described = {
        "Processor": cpu,
        "Instruction sets": " ".join(flags),
        "Cores": f"{os.cpu_count()}; {threads} threads used on every side",
        "Memory": f"{memory:.0f} GiB",
        "System": f"{platform.system()} {platform.release()}",
        "Rust": subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip(),
        **python_side.put("versions"),
        "Load before": "%.2f %.2f %.2f" % os.getloadavg(),
        "Date": time.strftime("%Y-%m-%d"),
    }
    return described


def measured_by_others(path):
    """What `benches/search` and others have written below the part of this program: it is kept."""
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        _, mark, rest = file.read().partition("<!-- search: begin -->")
    return "\n" + mark + rest if mark else ""


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default=os.path.join(root, "target"))
    parser.add_argument("--data", default=os.path.join(root, "..", "shared", "data"))
    parser.add_argument("--output", default=os.path.join(root, "docs", "BENCHMARKS.md"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=1200, help="seconds for everything")
    parser.add_argument("--quick", action="store_true", help="a rehearsal: two small sizes; writes no document")
    options = parser.parse_args()

    bench = Bench(options)
    bench.run()
    with open(os.path.join(bench.folder, "results.json"), "w") as file:
        json.dump(bench.results, file, indent=1)
    text = report.document(bench.results)
    if options.quick:
        print(text)
    else:
        others = measured_by_others(options.output)
        with open(options.output, "w") as file:
            file.write(text + others)
        fits = os.path.join(os.path.dirname(options.output), "notebook", "fits.md")
        os.makedirs(os.path.dirname(fits), exist_ok=True)
        with open(fits, "w") as file:
            file.write(report.every_fit(bench.results))
        bench.say(f"wrote {os.path.normpath(options.output)}")


if __name__ == "__main__":
    main()
