#!/bin/sh
# Runs a fuzz target for HINDSIGHT_FUZZ_SECONDS (default 10) on its seeds.
#   run_fuzzer.sh FUZZER SEEDS
# What it finds in between is kept in SEEDS.corpus; an input that crashes it in crash-* beside it.
set -eu
fuzzer=$1
seeds=$2
corpus=$seeds.corpus
mkdir -p "$corpus"
exec "$fuzzer" -max_total_time="${HINDSIGHT_FUZZ_SECONDS:-10}" -timeout=60 -rss_limit_mb=1024 \
  -max_len=65536 -print_final_stats=1 -artifact_prefix="$seeds.crash-" "$corpus" "$seeds"
