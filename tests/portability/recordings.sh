# The same checks on every system: the recorder from the start, attached, its snapshots and samples, and
# that the process is as before.
#
# $root is the system (empty: this machine), $net the runtime; $h the folder of the programs in it.
# Programs for another processor are run by $emulator.
guid='{4D9B1F5C-6E2A-4C0E-9B7A-8F6D1E0C5A21}'

# inside COMMAND...: without this environment. $process is `exec` if the process id is needed.
inside() {
  if [ -n "$root" ]; then
    $process env -i PATH=/usr/bin:/bin:/usr/sbin TMPDIR=/tmp/t "${environment[@]}" chroot "$root" $emulator "$@"
  else
    $process env -i PATH=/usr/bin:/bin:/usr/sbin TMPDIR="$scratch" "${environment[@]}" "$@"
  fi
}
process="" emulator="" snapshot_way="(fork)" patience=60 crash_environment=()

# The analyzer is always that of this machine.
hindsight() { emulator="" inside "$h/hindsight" "$@"; }
trigger() { inside "$h/hindsight-trigger" "$@"; }

# sample NAME ARGUMENTS...: the command line is in `command`, as the system sees it.
sample() {
  local name=$1 folder=$samples/$1-net$net.0
  shift
  command=("$folder/$name" "$@")
  [ -e "$root$folder/$name" ] || command=("$dotnet" "$folder/$name.dll" "$@")
}

# A folder for this check: $scratch seen from outside, $inner from inside.
begin() {
  if [ -n "$root" ]; then scratch=$root/tmp/t inner=/tmp/t; else scratch=$work/t inner=$work/t; fi
  rm -rf "$scratch"
  mkdir -p "$scratch"
}

recording() {
  set -- "$scratch"/out/*.hindsight
  [ $# -eq 1 ] && [ -e "$1" ] || { echo "not one recording but: $*" >&2; return 1; }
  echo "$inner/out/${1##*/}"
}

sql() { hindsight sql --csv "$(recording)" "$1" | tail -n +2 | tr -d '\r'; }

says_or_is_over() { grep -q "^$1" "$scratch/output" || ! kill -0 $pid; }

# wait_for WORD: waits until the sample prints it.
wait_for() {
  until_true $patience says_or_is_over "$1" && grep -q "^$1" "$scratch/output" || { cat "$scratch/errors"; kill -9 $pid 2>/dev/null; return 1; }
}

# begin_with COMMAND...: runs it in the background, its output in $scratch/output. Sets $pid.
begin_with() {
  process=exec
  inside "$@" >"$scratch/output" 2>"$scratch/errors" </dev/null &
  process="" pid=$!
}

# start COMMAND...: likewise, and waits for `ready`.
start() { begin_with "$@" && wait_for ready; }

# The sample ends by itself, normally.
ends() {
  touch "$scratch/end"
  wait $pid || { echo "the sample ended with $?"; cat "$scratch/errors"; return 1; }
  equal "last line" "${1:-done}" "$(tail -n 1 "$scratch/output")"
}

intact() {
  hindsight verify "$(recording)" | grep -E '^verdict +intact'
}

recorded() { # SOURCES
  environment=(DOTNET_NOLOGO=1 HOME=/tmp CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER=$guid
    CORECLR_PROFILER_PATH="$h/libhindsight.so" "HINDSIGHT_OPTIONS=output=$inner/out;sources=$1")
}
unrecorded() { environment=(DOTNET_NOLOGO=1 HOME=/tmp); }

programs_run() {
  unrecorded
  begin
  hindsight --version | grep -E '^hindsight [0-9]+\.[0-9]+\.[0-9]+' && trigger --version &&
    trigger list && hindsight help cpu >/dev/null && hindsight man cpu >/dev/null
}

# as_here WHAT: $scratch/counts must be the same as on this machine, which is checked first.
as_here() {
  [ "$(wc -l <"$scratch/counts")" -gt 5 ] || { echo "few types:"; cat "$scratch/counts"; return 1; }
  if [ -z "$root" ]; then cp "$scratch/counts" "$work/counts-$1-$net"; fi
  diff "$work/counts-$1-$net" "$scratch/counts"
}

# By type and count, the same as recorded on this machine.
exceptions_as_here() {
  begin
  sample ExceptionStorm
  recorded exceptions,threads,modules,gc
  inside "${command[@]}" >"$scratch/output" || return 1
  unrecorded
  intact || return 1
  sql "SELECT t.name, sum(e.count), sum(e.throws) FROM exceptions e JOIN types t USING (type)
       GROUP BY 1 ORDER BY 1" >"$scratch/counts" || return 1
  equal "exceptions without a stack" 0 "$(sql 'SELECT count(*) FROM exceptions WHERE stack IS NULL')" || return 1
  as_here start
}

unhandled_is_recorded() {
  begin
  sample ExceptionStorm --unhandled thread
  recorded exceptions,threads
  inside "${command[@]}" >"$scratch/output" 2>"$scratch/errors"
  equal "exit code" 134 $? || return 1
  unrecorded
  equal unhandled 1 "$(sql 'SELECT sum(unhandled) FROM exceptions')"
}

# The thread that threw is held in a signal handler until the heap is on disk: names and objects are written
# after the pause, so without being held, the process would be gone.
crash_has_its_heap() {
  begin
  sample ExceptionStorm --ballast 30000 --unhandled thread
  recorded 'exceptions,threads;when=unhandled:snapshot'
  environment+=("${crash_environment[@]}")
  inside "${command[@]}" >"$scratch/output" 2>"$scratch/errors"
  equal "exit code" 134 $? || return 1
  unrecorded
  # The rule may have fired before, for an exception that only seemed unhandled.
  equal ballast 30000 "$(sql "SELECT max(objects) FROM heap_by_type WHERE type = 'ExceptionStorm.Ballast'")" ||
    { hindsight info "$(recording)"; return 1; }
  hindsight timeline "$(recording)" | grep -F unhandled:snapshot || return 1
  equal unhandled 1 "$(sql 'SELECT sum(unhandled) FROM exceptions')" || return 1
  hindsight heap "$(recording)" | grep -F "$snapshot_way"
}

# Two recordings of a round each, and a round without one: each has what was thrown in it.
attach_and_detach() {
  unrecorded
  begin
  sample ExceptionStorm --rounds 3 --go "$inner/round"
  start "${command[@]}" || return 1
  local turn
  for turn in 1 2; do
    trigger attach $pid --profiler "$h/libhindsight.so" --output "$inner/out" \
      --sources exceptions,cpu,gc,locks,threads,requests || return 1
    trigger status $pid | grep -i recording || return 1
    touch "$scratch/round.$turn"
    until_true $patience test -e "$scratch/round.$turn.done" || return 1
    trigger stop $pid || return 1
    intact || return 1
    equal ended stopped "$(sql 'SELECT ended FROM recordings')" || return 1
    sql 'SELECT t.name, sum(e.count) FROM exceptions e JOIN types t USING (type) GROUP BY 1 ORDER BY 1' \
      >"$scratch/counts" || return 1
    as_here "attach-$turn" || return 1
    rm -rf "$scratch/out"
  done
  trigger status $pid
  equal "exit code of status" 34 $? || return 1
  touch "$scratch/round.3"
  ends
}

heap_snapshot() {
  unrecorded
  begin
  sample HeapSamples CacheLeak --end "$inner/end"
  start "${command[@]}" || return 1
  trigger snapshot $pid --profiler "$h/libhindsight.so" --output "$inner/out" || return 1
  equal answers 30000 "$(sql "SELECT objects FROM heap_by_type WHERE type = 'CacheLeak.Answer'")" || return 1
  hindsight heap "$(recording)" | grep -F "$snapshot_way" ||
    { echo "not taken as expected: $snapshot_way"; hindsight heap "$(recording)" | head -n 12; return 1; }
  hindsight leaks "$(recording)" | grep CacheLeak.Answer || return 1
  ends
}

deadlock_is_found() {
  unrecorded
  begin
  sample WaitSamples --end "$inner/end" Deadlock
  start "${command[@]}" || return 1
  trigger snapshot $pid --threads --profiler "$h/libhindsight.so" --output "$inner/out" || return 1
  hindsight threads "$(recording)" | grep Deadlock.Monitors.Book || return 1
  if [ "$snapshot_way" != "(fork)" ]; then  # a heap that was walked in the pause has no locks
    hindsight deadlocks "$(recording)" >"$scratch/deadlocks" || true
    grep 'Lock cycle of 2, certain' "$scratch/deadlocks" || { cat "$scratch/deadlocks"; return 1; }
    ends
    return
  fi
  rm -rf "$scratch/out"
  trigger snapshot $pid --profiler "$h/libhindsight.so" --output "$inner/out" || return 1
  hindsight deadlocks "$(recording)" >"$scratch/deadlocks" || true
  grep Deadlock.Monitors.Post "$scratch/deadlocks" || { cat "$scratch/deadlocks"; return 1; }
  ends
}

# Managed code is asked these each second, beginning once the runtime's sessions have started.
listens() { hindsight info "$(recording)" --json | grep -E 'jit_sample|pool_sample'; }

# watch SOURCES COMMAND...: starts a sample, attaches, lets it continue once its events are recorded, and
# waits until it is ready.
watch() {
  local sources=$1
  shift
  begin_with "$@" && wait_for started || return 1
  trigger attach $pid --profiler "$h/libhindsight.so" --output "$inner/out" --sources "$sources" &&
    until_true $patience listens || { kill -9 $pid; return 1; }
  touch "$scratch/go" && wait_for ready
}

# As many waits of each kind as the sample makes, and the one that has not ended has an owner.
locks_are_counted() {
  unrecorded
  begin
  sample LockWaits --count 20 --go "$inner/go" --end "$inner/end"
  watch locks,waits,threads "${command[@]}" || return 1
  # The owner is determined once a wait has lasted for some time.
  until_true $patience stuck_has_owner || { hindsight locks "$(recording)"; kill -9 $pid; return 1; }
  trigger stop $pid && intact || return 1
  # .NET 8 reports waits for monitors only.
  local others=20
  [ "$net" -ge 9 ] || others=0
  equal "finished waits for a monitor" 20 "$(waits_in Program.EnterMonitor monitor)" &&
    equal "waits for a Lock" $others "$(waits_in Locks.EnterLock lock)" &&
    equal "waits for a pulse" $others "$(waits_in Program.WaitForPulse pulse)" &&
    equal "waits for an event" $others "$(waits_in Program.WaitForEvent 'wait handle')" &&
    equal "waits for a task" $others "$(waits_in Program.WaitForTask task)" || { hindsight locks "$(recording)"; return 1; }
  ends
}

# waits_in METHOD KIND: finished waits of LockWaits. Stacks are exact: METHOD itself waits.
waits_in() {
  sql "SELECT coalesce(sum(waits), 0) FROM wait_places JOIN stacks USING (stack)
    WHERE kind = '$2' AND path GLOB '*LockWaits.$1*'"
}

stuck_has_owner() {
  sql "SELECT owner FROM lock_waits WHERE duration_ns IS NULL AND kind = 'monitor'" | grep '[0-9]'
}

# Samples of allocations add up to what was allocated: 32 MB along each path. Seven standard deviations
# of 312 samples are 40 %. Before .NET 10, a sample is taken whenever a budget of 100 KB is used up.
allocations_are_told() {
  unrecorded
  begin
  sample AllocationHot --megabytes 32 --go "$inner/go" --end "$inner/end"
  watch allocations,gc,threads "${command[@]}" || return 1
  trigger stop $pid && intact || return 1
  local method type low high bytes
  while read -r method type low high; do
    bytes=$(sql "SELECT CAST(coalesce(sum(bytes), 0) / 1000000 AS INTEGER) FROM allocation_samples JOIN types t USING (type)
      JOIN stacks s USING (stack) WHERE t.name = '$type' AND s.path GLOB '*AllocationHot.Program.$method*'")
    [ "$bytes" -ge "$low" ] && [ "$bytes" -le "$high" ] ||
      { echo "$method: $bytes MB of $type, not $low to $high"; hindsight allocations "$(recording)"; return 1; }
  done <<'END'
Strings string 19 45
SmallArrays byte[] 19 45
LargeArrays byte[] 19 45
Boxes int 19 45
GrowLists long[] 19 45
END
  ends
}

# A sample whose methods use CPU time 6 to 3 to 1.
cpu_samples() {
  begin
  sample CpuSamples --end "$inner/end" CpuHot --only shares --ms 1500
  recorded 'cpu,exceptions,threads,modules,gc;cpu.hz=1000'
  start "${command[@]}" || return 1
  unrecorded
  ends || return 1
  intact || return 1
  # A busy machine has fewer samples, and each stands for more.
  local used hottest
  used=$(sql 'SELECT sum(cpu_ns) / 1000000 FROM cpu_samples')
  [ "$used" -gt 1300 ] && [ "$used" -lt 2300 ] || { echo "1500 ms of CPU time are $used"; return 1; }
  hottest=$(sql "SELECT m.name FROM cpu_samples c JOIN stacks s USING (stack) JOIN methods m ON m.method = s.method
    WHERE m.name LIKE 'CpuHot.Shares.%' GROUP BY 1 ORDER BY sum(c.cpu_ns) DESC LIMIT 1")
  equal hottest CpuHot.Shares.Sixty "$hottest"
}

programs_here() {
  root="" h=$work/here samples=$build/samples dotnet=$(command -v dotnet)
  mkdir -p "$h" && cp "$build/recorder/libhindsight.so" "$build/analyzer/hindsight" "$build/trigger/hindsight-trigger" "$h/"
}

# What other systems are compared with, if the part `here` has not been run.
measured_here() {
  [ -e "$work/counts-start-$net" ] && [ -e "$work/counts-attach-2-$net" ] && return
  local root h samples dotnet emulator=""
  programs_here
  check "here, .NET $net: the recorder from the start" exceptions_as_here
  check "here, .NET $net: attach, detach, attach again" attach_and_detach
}

# check_recordings LABEL [CPU_SAMPLES]: all of them, for $root and $net.
check_recordings() {
  [ -z "$root" ] || measured_here
  check "$1: the recorder from the start, exceptions as here" exceptions_as_here
  check "$1: an unhandled exception" unhandled_is_recorded
  check "$1: the heap snapshot of a crash" crash_has_its_heap
  check "$1: attach, detach, attach again" attach_and_detach
  check "$1: a heap snapshot" heap_snapshot
  check "$1: threads, and a deadlock" deadlock_is_found
  check "$1: waits for locks, events and tasks" locks_are_counted
  check "$1: allocations" allocations_are_told
  check "$1: CPU samples" "${2:-cpu_samples}"
}

# The library is always the one in $build.
check_here() {
  programs_here
  check "here: programs" programs_run
  for net in ${HINDSIGHT_NET:-8 9 10}; do check_recordings "here, .NET $net"; done
}

check_debian11() {
  root=$work/bullseye h=/h samples=/h/samples dotnet=/usr/share/dotnet/dotnet
  check "Debian 11: a root" debian_root bullseye
  fill_root "$root" "$build/samples" && mkdir -p "$root/usr/share/dotnet" &&
    mount --bind "$(dirname "$(readlink -f "$(command -v dotnet)")")" "$root/usr/share/dotnet"
  equal glibc 2.31 "$(chroot "$root" ldd --version | sed -n '1s/.* //p')"
  check "Debian 11: programs" programs_run
  for net in ${HINDSIGHT_NET:-8 9 10}; do check_recordings "Debian 11, .NET $net"; done
}

# symbols_of FILES...: what they define, as `symbol version`; without versions, as `symbol`.
symbols_of() {
  readelf -W --dyn-syms "$@" | awk '$7 != "UND" && NF >= 8 {sub(/@+/, " ", $8); print $8}' | sort -u
}

# The list that the library is linked with, including symbols that nothing uses today.
list_holds() { # PATTERN FILES...
  local columns=$1
  shift
  symbols_of "$@" >"$work/symbols"
  grep -v -e '^#' -e '^__tls_get_addr ' "$source/recorder/portable/symbols.txt" | cut -d' ' -f"$columns" |
    sort -u >"$work/listed"
  [ "$(wc -l <"$work/listed")" -gt 100 ] && equal "not there" "" "$(comm -23 "$work/listed" "$work/symbols")"
}

# .NET 10 needs glibc 2.27, and .NET 9 a newer libstdc++ than there was then.
check_glibc217() {
  root=$work/glibc217 h=/h samples=/h/samples dotnet=none net=8
  check "glibc 2.17: a root" glibc217_root
  fill_root "$root" "$build/samples"
  check "glibc 2.17: every symbol of the list" list_holds 1,2 "$root"/lib/lib{c,pthread,dl}.so.*
  check "glibc 2.17: programs" programs_run
  check_recordings "glibc 2.17, .NET $net"
}

check_musl() {
  root=$work/musl h=/h samples=/h/samples dotnet=none net=10
  check "musl: samples" published_samples linux-musl-x64 samples-musl
  check "musl: a root" musl_root
  fill_root "$root" "$work/samples-musl"
  check "musl: every symbol of the list" list_holds 1 "$root/lib/ld-musl-x86_64.so.1"
  check "musl: programs" programs_run
  check_recordings "musl, .NET $net"
}
