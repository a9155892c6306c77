# Heap snapshots under a memory limit: one that fits, one that is refused, and one during which the
# application writes to so much memory that the copy has to go.

snapshot_under() { # NAME LIMIT MIB_REWRITTEN OBJECTS
  fresh
  application "$1" --memory "$2" --memory-swap "$2" --entrypoint '["dotnet", "/app/HeapSamples.dll"]' \
    -e DOTNET_GCHeapHardLimitPercent=90 localhost/heapsamples BigHeap --objects "$4" --rewrite "$3" --end /tmp/end || return 1
  said=$("$trigger" snapshot "$pid" 2>&1)
  code=$?
  echo "$said"
  grep -h . "/sys/fs/cgroup/memory$(sed -n 's/.*:memory://p' "/proc/$pid/cgroup")"/memory.{max_usage_in_bytes,oom_control} 2>/dev/null
  kill -0 "$pid" && nothing_left
}

# The application's work checks itself; it ends in order.
ends_well() {
  touch "/proc/$pid/root/tmp/end"
  equal "exit code" 0 "$(engine wait "$1")" || { engine logs "$1"; return 1; }
  engine logs "$1" | grep -E '^load: [1-9][0-9]* checked, 0 broken'
}

fits() {
  snapshot_under roomy 512m 60 20000 && equal "exit code" 0 "$code" && ends_well roomy
}

is_refused() {
  snapshot_under narrow 110m 50 20000 && equal "exit code" 38 "$code" && grep -F "left under the limit" <<<"$said" &&
    ends_well narrow
}

# The copy is given up before the kernel has to choose whom to end.
is_given_up() {
  snapshot_under tight 400m 200 1500000 && ends_well tight || return 1
  equal "exit code" 38 "$code" && grep -E "left under the limit|private memory" <<<"$said"
}

check_memory() {
  check "memory: a snapshot that fits" fits
  remove_all
  check "memory: one that does not is refused" is_refused
  remove_all
  check "memory: one that runs out of it costs the application nothing" is_given_up
  remove_all
}
