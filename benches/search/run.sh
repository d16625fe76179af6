#!/bin/sh
# Measures the search among enrolled faces against FAISS, scikit-learn and the kdtree crate on this machine, and
# writes that section of docs/BENCHMARKS.md. One command, about eight minutes: benches/search/run.sh
# (a rehearsal of a minute: --quick; only some K, whose rows join the table: --dimensions 32 64 128, about six
# minutes). Everything it makes is under target/.
set -eu
cd "$(dirname "$0")/../.."
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

target=${CARGO_TARGET_DIR:-target}
venv=$target/search-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
# Each time: a first run may have been ended before all was there.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy scikit-learn faiss-cpu
cargo build --quiet --release --features maintainer --example search_worker
exec env OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 \
    "$venv/bin/python" benches/search/search.py --target "$target" "$@"
