#!/usr/bin/env bash
# Builds the wheel and the source distribution, installs the wheel in a fresh virtual environment, and tests it there.
# Needs Rust, Python and PyPI. PYTHON names another interpreter, WORK a folder to work in, kept, and PROFILE another of
# cargo's profiles than release.
#
#   python/test.sh              the wheel
#   python/test.sh --sdist      also builds and installs from the source distribution, alone
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
most_bytes=$((12 * 1024 * 1024))

"${PYTHON:-python3}" -m venv --clear "$work/build"
"$work/build/bin/python" -m pip install --quiet --disable-pip-version-check maturin
rm -rf "$work/dist"
cd "$here"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/../target}
"$work/build/bin/maturin" build --profile "${PROFILE:-release}" --locked --quiet --interpreter "$work/build/bin/python" --out "$work/dist"
wheel=$(echo "$work"/dist/*.whl)
bytes=$(wc -c <"$wheel")
[ "$bytes" -le "$most_bytes" ] || { echo "python: $wheel takes $bytes bytes, more than $most_bytes"; exit 1; }

"${PYTHON:-python3}" -m venv --clear "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel" pytest matplotlib pandas
# Elsewhere, so that the installed package is tested and not the sources.
mkdir -p "$work/elsewhere"
cd "$work/elsewhere"
MPLBACKEND=Agg "$work/venv/bin/python" -m pytest --quiet -p no:cacheprovider "$here/tests"

if [ "${1:-}" = --sdist ]; then
  cd "$here"
  "$work/build/bin/maturin" sdist --out "$work/dist"
  "${PYTHON:-python3}" -m venv --clear "$work/from-source"
  "$work/from-source/bin/python" -m pip install --quiet --disable-pip-version-check "$work"/dist/*.tar.gz
  cd "$work/elsewhere"
  "$work/from-source/bin/python" -c 'import eigenfaces; print(eigenfaces.load_bundled_faces().images.shape)'
fi
echo "python: $(basename "$wheel"), $bytes bytes, is tested"
