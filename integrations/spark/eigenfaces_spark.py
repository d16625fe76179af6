"""Enrols the labelled photos of a cluster: each worker prepares and describes its photos, the driver learns from all.

Describing a face is nearly all the work and needs no other face. So the model is bit for bit that of `eigenfaces enroll`
in one process, whatever the partitions are and however often a task is run again. README.md beside this file says how to
submit it.
"""

import argparse
import sys

import pandas
from pyspark.sql import SparkSession

COLUMNS = "face binary, problem string"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n")[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--files", help="folder at any URL that Spark reads (hdfs://, s3a://, file:), a sub-folder a person")
    source.add_argument("--parquet", help="table with a column of image files (binary) and one of names")
    parser.add_argument("--image", default="image", help="the column of image files [default: image]")
    parser.add_argument("--person", default="person", help="the column of names [default: person]")
    parser.add_argument("--partitions", type=int, help="shares that the photos are cut into [default: as Spark reads them]")
    parser.add_argument("-o", "--output", required=True, help="model to write, on the driver")
    return parser.parse_args()


def photos(session, options):
    """The photos as rows of path, person and content."""
    if options.parquet:
        table = session.read.parquet(options.parquet)
        return table.selectExpr("'' AS path", f"`{options.person}` AS person", f"`{options.image}` AS content")
    files = session.read.format("binaryFile").option("recursiveFileLookup", "true").load(options.files)
    # What Spark calls file:/photos/Ada/1.jpg, `enroll /photos` calls /photos/Ada/1.jpg.
    return files.selectExpr(
        "regexp_replace(path, '^file:/*', '/') AS path", "element_at(split(path, '/'), -2) AS person", "content"
    )


def described(batches):
    """The face of each photo, as bytes, or what is wrong with the photo. Runs on the workers."""
    from eigenfaces import FaceRecognizer

    def one(path, person, content):
        try:
            return FaceRecognizer.describe(bytes(content), person, path), None
        except ValueError as error:
            return None, f"{path or person}: {error}"

    for batch in batches:
        rows = [one(*row) for row in batch[["path", "person", "content"]].itertuples(index=False)]
        yield pandas.DataFrame(rows, columns=["face", "problem"])


def main():
    from eigenfaces import FaceRecognizer

    options = arguments()
    session = SparkSession.builder.appName("eigenfaces").getOrCreate()
    rows = photos(session, options)
    if options.partitions:
        rows = rows.repartition(options.partitions)
    faces, unusable = [], 0
    # All partitions side by side; the driver learns from all faces, so it holds them anyway.
    for row in rows.mapInPandas(described, COLUMNS).collect():
        if row.face is None:
            unusable += 1
            print(f"skipped: {row.problem}", file=sys.stderr)
        else:
            faces.append(bytes(row.face))
    FaceRecognizer().fit_described(faces).save(options.output)
    print(f"enrolled {len(faces)} faces, {unusable} photos skipped -> {options.output}", file=sys.stderr)
    session.stop()
    sys.exit(3 if unusable else 0)


if __name__ == "__main__":
    main()
