# Heap snapshots under a memory limit: one that fits, one that is refused, and one during which the
# application writes to so much memory that the copy has to be given up.

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

# The application's work checks itself; it ends normally.
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

# The copy is stopped, so that it cannot be done before the application has rewritten too much of its memory. It is
# given up before the kernel has to choose a process to kill; on a busy machine, the kernel may be faster, and kills
# the copy.
is_given_up() {
  fresh
  application tight --memory 400m --memory-swap 400m --entrypoint '["dotnet", "/app/HeapSamples.dll"]' \
    -e DOTNET_GCHeapHardLimitPercent=90 localhost/heapsamples BigHeap --objects 1500000 --rewrite 200 --end /tmp/end || return 1
  local copy=
  "$trigger" snapshot "$pid" >"$work/said" 2>&1 &
  local asked=$!
  until_fast offered_copy_of "$pid" && kill -STOP "$copy" || { echo "no copy was made"; cat "$work/said"; return 1; }
  wait $asked
  local code=$?
  cat "$work/said"
  [ $code -ne 0 ] && grep -E "left under the limit|private memory|killed by signal 9" "$work/said" && kill -0 "$pid" &&
    nothing_left && ends_well tight
}

# The memory of the application's control group, from where this process sees it.
memory_group() {
  local path
  path=$(sed -n 's/^[0-9]*:memory://p' "/proc/$pid/cgroup")
  [ -n "$path" ] && echo "/sys/fs/cgroup/memory$path" && return
  echo "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$pid/cgroup")"
}

oom_kills() { # FOLDER: of version 1, and 2
  sed -n 's/^oom_kill //p' "$1/memory.oom_control" "$1/memory.events" 2>/dev/null | head -n 1
}

# Takes memory in the group until the kernel has killed something there: the copy, which has offered to be
# first. The process that takes it has more memory than the application, so it would be next.
eat_until_killed() { # FOLDER
  local before result
  before=$(oom_kills "$1")
  (
    echo $BASHPID >"$1/cgroup.procs" || exit 1
    # Through a pipe, so that tail has to remember it.
    head -c 2G /dev/zero | tail -c 2G >/dev/null
  ) &
  local eater=$!
  until_true 60 more_than "$before" oom_kills "$1"
  result=$?
  pkill -KILL -P $eater
  kill -KILL $eater
  wait $eater
  return $result
} 2>/dev/null

more_than() { # NUMBER COMMAND...
  local number=$1
  shift
  [ "$("$@")" -gt "$number" ]
}

# The kernel's lists of children, which have no line ends, read without starting a program: on a quiet machine,
# a copy lives for a tenth of a second.
copy_of() {
  local children
  for children in /proc/"$1"/task/*/children; do
    read -r copy _ <"$children"
    [ -z "$copy" ] || return 0
  done
  return 1
} 2>/dev/null

# And has asked to be killed first, which it does as soon as it runs.
offered_copy_of() {
  local adjustment
  copy_of "$1" && read -r adjustment <"/proc/$copy/oom_score_adj" && [ "$adjustment" = 1000 ]
} 2>/dev/null

# While the copy is stopped and nothing watches it, memory runs out: the kernel has to choose.
kernel_ends_the_copy() {
  fresh
  application killed --memory 400m --memory-swap 400m --entrypoint '["dotnet", "/app/HeapSamples.dll"]' \
    -e DOTNET_GCHeapHardLimitPercent=90 localhost/heapsamples BigHeap --objects 1000000 --rewrite 20 --end /tmp/end || return 1
  local group copy=
  group=$(memory_group)
  "$trigger" snapshot "$pid" >"$work/said" 2>&1 &
  local asked=$!
  until_fast offered_copy_of "$pid" || { echo "no copy was made that is to go first"; cat "$work/said"; return 1; }
  kill -STOP "$copy" && kill -STOP "$pid" || return 1
  eat_until_killed "$group"
  local result=$?
  # Its parent has not waited for it yet.
  sed -n 's/^State:.*(\(.*\))/the copy: \1/p' "/proc/$copy/status" >"$work/state"
  kill -CONT "$pid"
  wait $asked
  local code=$?
  cat "$work/state" "$work/said"
  [ $result -eq 0 ] || { echo "the kernel ended nothing"; return 1; }
  equal "state" "the copy: zombie" "$(cat "$work/state")" || return 1
  # The recorder may see first that nothing is left, or that the copy is gone.
  [ $code -ne 0 ] && kill -0 "$pid" && nothing_left &&
    grep -E "killed by signal 9|left under the limit" "$work/said" || return 1
  # A second snapshot succeeds, and the application was not disturbed.
  "$trigger" snapshot "$pid" && ends_well killed
}

until_fast() { # COMMAND...: without a pause, for 30 s at most
  local end=$((SECONDS + 30))
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
  done
}

check_memory() {
  check "memory: a snapshot that fits" fits
  remove_all
  check "memory: one that does not is refused" is_refused
  remove_all
  check "memory: one that runs out of it costs the application nothing" is_given_up
  remove_all
  check "memory: a copy that the kernel ends costs the application nothing" kernel_ends_the_copy
  remove_all
}
