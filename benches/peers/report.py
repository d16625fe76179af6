"""The measurements as docs/BENCHMARKS.md (what the project set out to reach) and docs/notebook/fits.md (every solver at every size)."""

from statistics import median

# A peer is of comparable accuracy if its leading subspace is off by less than this (sine of the largest angle).
COMPARABLE = 1e-3

INTRODUCTION = """\
# Benchmarks

Speed and memory: the algebra ("Fit"), search, and whole commands as people type them, beside other programs.

Written by `benches/peers/run.sh`, in one run on one machine: the same pixels and number of threads on every side, taking turns (ours, peer, ours, peer, ...).
Times are medians of five runs, the best in brackets; of three where one takes more than 5 s, of one where it takes more than 20 s (*once*).
Ratios are of medians. Fits of every size by every solver: [notebook/fits.md](notebook/fits.md).

- A fit goes from pixels in memory to 100 basis faces and the weights of all faces. scikit-learn and NumPy are given
  floating-point pixels ready-made.
- *Subspace error* is the sine of the largest principal angle between the leading 100 directions and those of an `f64`
  reference (LAPACK on the exact centred matrix). Solvers with an error below 1e-3 are compared.
- *Products* are the uncentred Gram or covariance matrix, of the smaller side, one triangle. Ours are exact integers; ratios are to the
  faster of NumPy and SciPy (both OpenBLAS) with as many threads.
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
    products = {}
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
        for kernel in WANTED_PRODUCTS:
            for threads, entries in size.get("products", {}).items():
                if entries.get(kernel):
                    ratios = products.setdefault((kernel, threads), [])
                    ratios.append(fastest_blas(entries) / median(entries[kernel]))
        for what, held in size.get("same bits", {}).items():
            same.setdefault(what, []).append(held)
    for (kernel, threads), ratios in products.items():
        wanted = WANTED_PRODUCTS[kernel]
        what = f"products, every size, {kernel} against OpenBLAS, threads: {threads}"
        reached = f"{times(min(ratios))} to {times(max(ratios))}"
        rows.append([what, f">= {wanted}x", reached, yes(min(ratios) >= wanted)])
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
    parts += ["## Fit\n", summary(results), "## Goals\n", goals(results) + other_products(results)]
    whole = results.get("whole process")
    if whole:
        parts += [
            "## Whole process\n",
            f"Programs from start to end, interpreter included, crops taken as they are; `enroll` takes {whole['files']} files and also\n"
            "calibrates its confidence, `identify` one photo. By default settings: \"What people wait for\", below.\n",
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


FITS = """\
# Notebook: fits by every solver at every size

Written by `benches/peers/run.sh`, whose terms docs/BENCHMARKS.md has. *Eigenvalue error* is relative to the largest eigenvalue. NumPy's `svd`
takes `f32` but computes in `f64`.
"""


def every_fit(results):
    parts = [FITS]
    for size in results["sizes"]:
        parts += [f"## {size['d']} pixels x {size['P']} faces ({size['pixels']})\n", fits(size)]
    return "\n".join(parts)
