"""Learns a basis of faces on a Spark cluster.

Every task runs `eigenfaces partial` on its share of the photos, and `eigenfaces merge` makes one basis of the parts.
The sums are exact integers, so the basis is bit for bit that of one process that saw all photos, whatever the
partitions are and however often a task is run again. README.md beside this file says how to submit it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from pyspark import SparkFiles
from pyspark.sql import SparkSession

# Parts that one task merges, two of them in memory at a time: of 64 x 64 pixels, 67 MB each (123 MB with texture).
FAN_IN = 32
# `eigenfaces partial` ends so where some photos could not be used. It names each, and the part is whole.
SOME_UNUSABLE = 3
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".pgm", ".ppm", ".pnm", ".webp", ".bmp", ".tif", ".tiff")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n")[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--folder", help="folder of photos that every worker can read under this very path")
    source.add_argument("--list", help="text file, at any URL that Spark reads, of paths that every worker can read")
    source.add_argument("--files", help="folder of photos at any URL that Spark reads (hdfs://, s3a://, file:)")
    source.add_argument("--parquet", help="table with a column of image files (binary)")
    parser.add_argument("--column", default="image", help="name of that column [default: image]")
    parser.add_argument("--plan", required=True, help="what `eigenfaces plan` wrote")
    parser.add_argument("-o", "--output", required=True, help="basis to write, for `eigenfaces enroll --basis`")
    parser.add_argument("--partitions", type=int, help="shares that the photos are cut into [default: one a core]; tables at most as Spark reads them")
    parser.add_argument("--binary", help="the program, sent to all workers [default: eigenfaces on the PATH]")
    return parser.parse_args()


def paths_below(folder):
    """Paths of the photos in a folder, by the endings of their names; hidden files and folders apart."""
    for at, folders, names in os.walk(os.path.abspath(folder), followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and name.lower().endswith(ENDINGS):
                yield os.path.join(at, name)


def run(words, folder, records=()):
    """Runs the program in a folder; writes the records to its standard input."""
    with open(os.path.join(folder, "messages"), "w+b") as messages:
        program = [SparkFiles.get("eigenfaces"), "--threads", "1", *words]
        with subprocess.Popen(program, cwd=folder, stdin=subprocess.PIPE, stderr=messages) as process:
            try:
                for record in records:
                    process.stdin.write(record)
                process.stdin.close()
            except BrokenPipeError:
                pass  # It ended early, and says why.
        messages.seek(0)
        said = messages.read().decode(errors="replace")
    if process.returncode not in (0, SOME_UNUSABLE):
        raise RuntimeError(f"eigenfaces {words[0]} failed: {said[-2000:].strip()}")
    print(said, file=sys.stderr, end="")


def scratch():
    """A folder in the place that Spark clears away when the executor ends: parts are biometric data."""
    return tempfile.TemporaryDirectory(dir=SparkFiles.getRootDirectory())


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def part_of(records, *options):
    """The part of one share of the photos. The file is read back whole: it is as large for any number of photos."""
    with scratch() as folder:
        plan = SparkFiles.get("plan.json")
        run(["partial", "-", *options, "--plan", plan, "-o", "part.npz"], folder, records)
        return contents(os.path.join(folder, "part.npz"))


def merged(parts, *options):
    """Parts, as they come, as one; or, without --partial, as the basis."""
    with scratch() as folder:
        names = []
        for at, part in enumerate(parts):
            names.append(f"{at}.npz")
            with open(os.path.join(folder, names[-1]), "wb") as file:
                file.write(part)
        if not names:
            return []
        run(["merge", *options, *names, "-o", "merged"], folder)
        return [contents(os.path.join(folder, "merged"))]


def lines(paths):
    return (os.fsencode(path) + b"\n" for path in paths)


def sent(images):
    """Each image after the number of its bytes, as `eigenfaces partial - --bytes` reads them. A missing one is an
    empty file, which is counted as one that cannot be used."""
    for (image,) in images:
        image = bytes(image or b"")
        yield len(image).to_bytes(4, "big") + image


def parts(session, given):
    """An RDD with one part a partition: large ones, for each part costs as much as thousands of faces."""
    context = session.sparkContext
    count = given.partitions or context.defaultParallelism
    if given.folder or given.list:
        if given.folder:
            paths = context.parallelize(list(paths_below(given.folder)), count)
        else:
            paths = context.textFile(given.list, count).coalesce(count)
        return paths.mapPartitions(lambda share: [part_of(lines(share))])
    if given.files:
        files = session.read.format("binaryFile").option("recursiveFileLookup", "true")
        images = files.load(given.files).select("content")
    else:
        images = session.read.parquet(given.parquet).select(given.column)
    # Spark cuts small files and tables small; put together here without being moved.
    shares = images.rdd.coalesce(count)
    return shares.mapPartitions(lambda share: [part_of(sent(share), "--bytes")])


def to_one_of(parts, groups):
    """Each part under the number of its group. Numbers go by partition, so a task that is run again says the same."""
    return parts.mapPartitionsWithIndex(
        lambda at, share: ((at % groups, part) for part in share)
    ).partitionBy(groups, lambda group: group)


def basis(parts):
    """Merges by a tree whose tasks take FAN_IN parts each; the driver sees nothing but the basis."""
    count = parts.getNumPartitions()
    while count > FAN_IN:
        count = -(-count // FAN_IN)
        grouped = to_one_of(parts, count).values()
        parts = grouped.mapPartitions(lambda group: merged(group, "--partial"))
    return to_one_of(parts, 1).values().mapPartitions(merged).collect()


def main():
    given = arguments()
    binary = given.binary or shutil.which("eigenfaces")
    if not binary or not os.path.isfile(binary):
        sys.exit("the program is not there: name it with --binary")
    session = SparkSession.builder.appName("eigenfaces").getOrCreate()
    context = session.sparkContext
    started = time.time()
    # Workers find both by these names, so they are sent from a folder where they have them.
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(binary, os.path.join(folder, "eigenfaces"))
        shutil.copy(given.plan, os.path.join(folder, "plan.json"))
        for name in ("eigenfaces", "plan.json"):
            context.addFile(os.path.join(folder, name))
        found = basis(parts(session, given))
    if not found:
        sys.exit("there is no photo")
    unfinished = f"{given.output}.unfinished"
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(found[0])
    os.replace(unfinished, given.output)
    print(f"{given.output}: {len(found[0])} bytes, {time.time() - started:.1f} s")
    session.stop()


if __name__ == "__main__":
    main()
