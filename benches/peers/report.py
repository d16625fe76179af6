"""The measurements as docs/BENCHMARKS.md: tables of ratios, and what the project set out to reach."""

from statistics import median

# A peer is of comparable accuracy if its leading subspace is off by less than this (sine of the largest angle).
COMPARABLE = 1e-3

INTRODUCTION = """\
# Benchmarks

The algebra first; then search, and whole commands as people type them, beside other programs ("What people wait for").

Written by `benches/peers/run.sh`, which anyone can run. Everything below was measured in one run on one machine:
the same pixels and the same number of threads on every side, taking turns (ours, peer, ours, peer, ...).
Times are medians, the best in brackets; five timed runs, three where one takes more than 5 s, one where it takes
more than 20 s (and for the decompositions marked *once*). Ratios are median to median.

- A fit goes from pixels in memory to 100 basis faces and the weights of all faces. scikit-learn and NumPy are given
  floating-point pixels ready-made; converting bytes is not charged to them.
- *Subspace error* is the sine of the largest principal angle between the leading 100 directions and those of an `f64`
  reference (LAPACK on the exact centred matrix). Only solvers of comparable accuracy (error below 1e-3) are fair
  company; others are listed all the same.
  NumPy's `svd` takes `f32` but computes in `f64`.
- *Eigenvalue error* is relative to the largest eigenvalue.
- *Products* are the uncentred Gram or covariance matrix, of the smaller side; all compute one triangle only (OpenBLAS by `ssyrk`,
  which NumPy calls too). Ours are exact integers. Ratios are to the faster of NumPy and SciPy with as many threads.
- Drawn pixels are smooth mixtures of waves with variances falling as i^-1.5 and a little noise, rounded to bytes.
"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def duration(seconds):
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s"


def taken(seconds):
    return f"{duration(median(seconds))} ({duration(min(seconds))})" if seconds else "-"


def times(ratio):
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def our_time(size):
    return median(size["ours"]["auto"]["seconds"])


def at_least(entry):
    """Seconds after which a peer was ended without an answer, if it was."""
    note = entry.get("note", "")
    return float(note[2:-2]) if note.startswith("> ") else None


def fits(size):
    ours = our_time(size)
    rows = []
    for route, entry in size["ours"].items():
        name = f"**eigenfaces {route}**" + (f" (= {entry['route']})" if route == "auto" else "")
        ratio = "1" if route == "auto" else times(median(entry["seconds"]) / ours)
        rows.append([name, taken(entry["seconds"]), ratio, f"{entry['angle']:.0e}", f"{entry['values']:.0e}"])
    for name, entry in size["peers"].items():
        if entry.get("solver") and f" {entry['solver']}" not in name:
            name += f" (= {entry['solver']})"
        if entry["seconds"]:
            once = ", once" if len(entry["seconds"]) == 1 else ""
            ratio = times(median(entry["seconds"]) / ours)
            rows.append([name, taken(entry["seconds"]) + once, ratio, f"{entry['angle']:.0e}", f"{entry['values']:.0e}"])
        else:
            note = entry.get("note", "not run")
            ratio = f"> {times(at_least(entry) / ours)}" if at_least(entry) else "-"
            rows.append([name, note, ratio, "-", "-"])
    return table(["", "time", "ratio", "subspace error", "eigenvalue error"], rows)


def fastest_blas(entries):
    """Seconds of the faster of the two ways to OpenBLAS: NumPy's product also ends in ssyrk."""
    return min(median(entries[name]) for name in ("NumPy matmul f32", "SciPy ssyrk f32"))


# Kernels of products that have a goal, and how many times faster than OpenBLAS they are to be.
WANTED_PRODUCTS = {"avx-512-vnni": 1.2, "avx2": 0.6}


def other_products(results):
    """The least and largest ratio, over all sizes and numbers of threads, of each kernel of ours that has no goal."""
    ratios = {}
    for size in results["sizes"]:
        for entries in size.get("products", {}).values():
            blas = fastest_blas(entries)
            for name, seconds in entries.items():
                if seconds and name not in WANTED_PRODUCTS and not name.startswith(("NumPy", "SciPy")):
                    ratios.setdefault(name, []).append(blas / median(seconds))
    ranges = [f"{name} {times(min(found))} to {times(max(found))}" for name, found in ratios.items()]
    return "\nProducts by the other kernels, against OpenBLAS: " + ", ".join(ranges) + ".\n" if ranges else ""


def best_peer(size, library=""):
    """The time and name of the fastest peer of comparable accuracy."""
    fair = [
        (median(entry["seconds"]), name)
        for name, entry in size["peers"].items()
        if name.startswith(library) and entry["seconds"] and entry["angle"] < COMPARABLE
    ]
    return min(fair, default=None)


def summary(results):
    rows = []
    for size in results["sizes"]:
        peer = best_peer(size)
        if peer:
            ratio = times(peer[0] / our_time(size))
            rows.append([f"{size['d']} x {size['P']}", duration(our_time(size)), duration(peer[0]), peer[1], ratio])
    return table(["pixels x faces", "eigenfaces", "fastest peer as accurate", "which", "ratio"], rows)


def goals(results):
    """(what, wanted, reached, met) of the project's numbers to reach."""

    def goal(what, wanted, reached, unit="x", at_most=False):
        met = reached <= wanted if at_most else reached >= wanted
        sign = "<=" if at_most else ">="
        shown = times(reached) if unit == "x" else f"{reached:.0f} {unit}"
        rows.append([what, f"{sign} {wanted}{unit if unit == 'x' else ' ' + unit}", shown, yes(met)])

    def yes(met):
        return "yes" if met else "**no**"

    rows = []
    error = max(entry["angle"] for size in results["sizes"] for entry in size["ours"].values())
    rows.append(["subspace error, every size", "< 1e-5", f"{error:.0e} at most", yes(error < 1e-5)])
    same = {}
    for size in results["sizes"]:
        name = f"{size['d']} x {size['P']}"
        peer = best_peer(size, "scikit-learn")
        if peer:
            wanted = 20 if size["P"] == 400 else 5
            goal(f"fit, {name}, against {peer[1]}", wanted, peer[0] / our_time(size))
        opencv = size["peers"].get("OpenCV EigenFaceRecognizer(100)", {})
        wanted = {400: 50, 1288: 300}.get(size["P"])
        if wanted and opencv.get("seconds"):
            goal(f"fit, {name}, against OpenCV", wanted, median(opencv["seconds"]) / our_time(size))
        elif wanted and at_least(opencv):
            reached = at_least(opencv) / our_time(size)
            met = "yes" if reached >= wanted else "not known: it was ended"
            rows.append([f"fit, {name}, against OpenCV", f">= {wanted}x", f"> {times(reached)}", met])
        for kernel, wanted in WANTED_PRODUCTS.items():
            reached = {
                threads: fastest_blas(entries) / median(entries[kernel])
                for threads, entries in size.get("products", {}).items()
                if entries.get(kernel)
            }
            if reached:
                what = f"products, {name}, {kernel} against OpenBLAS, threads: {', '.join(reached)}"
                met = yes(min(reached.values()) >= wanted)
                rows.append([what, f">= {wanted}x", ", ".join(times(ratio) for ratio in reached.values()), met])
        for what, held in size.get("same bits", {}).items():
            same.setdefault(what, []).append(held)
    for what, held in same.items():
        rows.append([f"same bits, sizes: {len(held)}; {what}", "yes", "yes" if all(held) else "no", yes(all(held))])
    whole = results.get("whole process")
    if whole:
        for task, wanted in (("enroll", 10), ("identify", 20)):
            ratio = median(whole[task]["OpenCV"]) / median(whole[task]["ours"])
            goal(f"whole process, {task}", wanted, ratio)
    for what, peak in results.get("memory", []):
        limit = 400 if "13233" in what else 500 if what.startswith("streaming") else None
        if limit:
            goal(f"peak memory, {what}", limit, peak / 1e6, unit="MB", at_most=True)
    return table(["goal", "wanted", "reached", "met"], rows)


def document(results):
    parts = [INTRODUCTION, "## Machine\n", table(["", ""], results["machine"].items())]
    parts += ["## In short\n", summary(results), "## Goals\n", goals(results) + other_products(results), "## Fit\n"]
    for size in results["sizes"]:
        parts += [f"### {size['d']} pixels x {size['P']} faces ({size['pixels']})\n", fits(size)]
    whole = results.get("whole process")
    if whole:
        parts += [
            "## Whole process\n",
            f"Programs from start to end, interpreter included. `enroll`: {whole['files']} files to a saved model (this program also\n"
            "calibrates its confidence, which takes fits of its own). `identify`: one photo, model read from disk.\n"
            "Times with the background model, which is the default: \"What people wait for\", below.\n"
            "OpenCV's side is `benches/peers/opencv_program.py`.\n",
        ]
        rows = []
        for task in ("enroll", "identify"):
            ours = median(whole[task]["ours"])
            for name, seconds in whole[task].items():
                rows.append([task, name, taken(seconds), times(median(seconds) / ours)])
        parts.append(table(["", "", "time", "ratio"], rows))
    if results.get("memory"):
        rows = [[what, f"{peak / 1e6:.0f} MB"] for what, peak in results["memory"]]
        parts += ["## Peak memory of the process\n", table(["", "resident"], rows)]
        stream = results["stream"]
        drawing, adding, solving = stream["seconds"]
        parts.append(
            f"The streaming fit drew {stream['faces']} faces in {duration(drawing)}, added them in {duration(adding)} and "
            f"solved in {duration(solving)}.\n"
        )
    return "\n".join(parts)
