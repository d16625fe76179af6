#!/usr/bin/env bash
# The Spark job on a real Spark: two separate workers on this machine, an executor killed in the middle. The model must be
# byte for byte that of `eigenfaces enroll`. Needs Java 17 and PyPI; takes some minutes, so it is not part of .ci/run.
#
# BINARY names a program that is built already, PHOTOS a folder of people [default: faces], WORK a folder to work in, kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
photos=$(realpath "${PHOTOS:-faces}")

command -v java >/dev/null || { echo "spark: skipped, no java here (Spark 4 wants 17 or newer)"; exit 0; }
if [ -z "${BINARY:-}" ]; then
  cargo build --locked
  BINARY=$PWD/target/debug/eigenfaces
fi
venv=$work/venv
if [ ! -x "$venv/bin/spark-submit" ]; then
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q pyspark pyarrow pandas maturin; }; then
    echo "spark: skipped, pyspark cannot be had here"
    exit 0
  fi
  (cd python && CARGO_TARGET_DIR=$PWD/../target "$venv/bin/maturin" build --profile dev --locked --quiet --out "$work/dist")
  "$venv/bin/pip" install -q "$work"/dist/*.whl
fi
export PYSPARK_PYTHON=$venv/bin/python PYSPARK_DRIVER_PYTHON=$venv/bin/python SOURCE_DATE_EPOCH=1795236101
rm -rf "$work/people"
cp -r "$photos" "$work/people"
cd "$work"
"$BINARY" enroll "$work/people" -m one.npz --quiet
# A file that is no photo: named, and the rest goes on.
mkdir -p people/Nobody && echo "no picture" >people/Nobody/bad.pgm

submit() { # the job's options; what the driver says comes on standard output of spark-submit
  "$venv/bin/spark-submit" --master "${MASTER:-local-cluster[2,1,1024]}" \
    --conf spark.driver.bindAddress=127.0.0.1 --conf spark.driver.host=127.0.0.1 --conf spark.ui.enabled=false \
    --conf spark.executorEnv.RAYON_NUM_THREADS=1 "$here/eigenfaces_spark.py" -o spark.npz "$@" >spark.log 2>&1
}
check() { # what the job ended with
  if [ "$1" != 3 ] || ! grep -q "skipped: .*bad.pgm" spark.log; then tail -30 spark.log; exit 1; fi
  cmp one.npz spark.npz
}

submit --files "file://$work/people" --partitions 8 && code=0 || code=$?
check "$code"
echo "spark: the model is byte for byte that of one process"

submit --files "file://$work/people" --partitions 60 &
job=$!
until grep -q "Finished task 5" spark.log 2>/dev/null || ! kill -0 "$job" 2>/dev/null; do sleep 0.2; done
pkill -9 -f "CoarseGrainedExecutorBackend.*--executor-id 1" || true
wait "$job" && code=0 || code=$?
check "$code"
grep -q "Lost executor 1" spark.log || { echo "spark: no executor was lost"; exit 1; }
echo "spark: the same with an executor killed in the middle"
