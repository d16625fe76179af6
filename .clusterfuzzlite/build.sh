#!/usr/bin/env bash
# Builds all fuzz targets, with their seeds, into $OUT, as ClusterFuzzLite wants them. It is run in the repository's root; by hand, with the
# nightly compiler and cargo-fuzz:
#
#   OUT=out .clusterfuzzlite/build.sh
set -euo pipefail
mkdir -p "$OUT"
cargo +nightly fuzz build --release --sanitizer "${SANITIZER:-address}"
for target in fuzz/fuzz_targets/*.rs; do
  name=$(basename "$target" .rs)
  cp "fuzz/target/$(rustc -vV | sed -n 's/^host: //p')/release/$name" "$OUT"
  python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" fuzz/seeds/"$name"/*
done
