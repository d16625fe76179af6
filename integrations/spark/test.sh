#!/usr/bin/env bash
# The Spark job on a real Spark: two separate workers on this machine, an executor killed in the middle, folder and
# Parquet. The basis must be bit for bit that of one process. Needs Java 17 and the network (PyPI), or a VENV with
# pyspark, pyarrow and numpy; takes some minutes, so it is not part of .ci/run, where the laws of merging are tested.
#
#   integrations/spark/test.sh             5,000 faces: variants of 500 rendered ones
#   FACES=200000 integrations/spark/test.sh
#
# BINARY and RENDER name programs that are built already; WORK a folder to work in, kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
faces=${FACES:-5000}
partitions=${PARTITIONS:-8}
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT

command -v java >/dev/null || { echo "spark: skipped, no java here (Spark 4 wants 17 or newer)"; exit 0; }
if [ -z "${BINARY:-}" ]; then
  cargo build --release --locked
  BINARY=$PWD/target/release/eigenfaces
fi
if [ -z "${RENDER:-}" ]; then
  cargo build --release --locked --example render_people
  RENDER=$PWD/target/release/examples/render_people
fi
if [ -z "${VENV:-}" ]; then
  VENV=$work/venv
  [ -x "$VENV/bin/spark-submit" ] || { python3 -m venv "$VENV" && "$VENV/bin/pip" install -q pyspark pyarrow numpy; } ||
    { echo "spark: skipped, pyspark cannot be had here"; exit 0; }
fi
python=$VENV/bin/python
export PYSPARK_PYTHON=$python PYSPARK_DRIVER_PYTHON=$python
SPARK_HOME=$("$python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME

if [ ! -f "$work/made-$faces" ]; then
  rm -rf "$work/rendered" "$work/faces"
  "$RENDER" -o "$work/rendered" --people 50 --images 10 --size 64x64 >/dev/null
  "$python" "$here/faces.py" "$work/rendered" "$work/faces" "$faces"
  touch "$work/made-$faces"
fi
cd "$work"
# A photo that cannot be read, to see that it is counted and the rest goes on.
echo "no picture" > faces/bad.pgm
[ -n "${PLAN_OPTIONS+set}" ] || PLAN_OPTIONS="--size 64x64"
"$BINARY" plan faces -o plan.json --framing as-is $PLAN_OPTIONS --quiet || [ $? = 3 ]

echo "one process:"
"$python" "$here/watch.py" "$BINARY" partial faces --plan plan.json -o one-part.npz --threads 1 2>one.log || [ $? = 3 ]
"$python" "$here/watch.py" "$BINARY" merge one-part.npz -o one.npz --threads 1
tail -2 one.log

"$python" - <<'PYTHON'
import pathlib
import pyarrow
import pyarrow.parquet
paths = sorted(pathlib.Path("faces").rglob("*.pgm"))
writer = None
for at in range(0, len(paths), 500):
    table = pyarrow.table({
        "image": [path.read_bytes() for path in paths[at:at + 500]],
        "label": [path.parent.name for path in paths[at:at + 500]],
    })
    writer = writer or pyarrow.parquet.ParquetWriter("faces.parquet", table.schema)
    writer.write_table(table)
writer.close()
PYTHON

submit() { # the master and what the job is given
  local kill=$1; shift
  rm -f spark.npz
  "$python" "$here/watch.py" $kill "$VENV/bin/spark-submit" --master "${MASTER:-local-cluster[2,1,1024]}" \
    --conf spark.driver.bindAddress=127.0.0.1 --conf spark.driver.host=127.0.0.1 \
    --conf spark.sql.files.maxPartitionBytes=1m --conf spark.ui.enabled=false \
    "$here/eigenfaces_spark.py" --plan plan.json --binary "$BINARY" -o spark.npz "$@" 2>spark.log ||
    { tail -30 spark.log; exit 1; }
  cmp one.npz spark.npz
}

echo "start-up of Spark, two photos:"
mkdir -p few && cp faces/000000/1.pgm faces/000000/2.pgm few/
mv one.npz all.npz
"$BINARY" partial few --plan plan.json -o few-part.npz --quiet && "$BINARY" merge few-part.npz -o one.npz --quiet
submit "" --folder few --partitions 2
mv all.npz one.npz
echo "folder, $partitions partitions:"
submit "" --folder faces --partitions "$partitions"
echo "folder, an executor killed in the middle:"
submit --kill --folder faces --partitions "$partitions"
grep -c "Lost executor\|Lost task\|Command exited with code 137" spark.log
echo "Parquet, an executor killed in the middle:"
submit --kill --parquet faces.parquet --partitions "$partitions"
echo "files through Spark:"
submit "" --files "file://$PWD/faces" --partitions "$partitions"
echo "spark: every basis is bit for bit that of one process"
