# hindsight.dll in the real runtime: win-x64's, from NuGet, published self-contained. What it records is
# compared with the truth of each sample, on Linux, by the Linux build in HINDSIGHT_LINUX.

# published_sample SAMPLE NET: $work/samples-NET/SAMPLE.exe, once. They share the runtime's files.
published_sample() {
  local folder=$work/samples-$2
  [ -e "$folder/$1.made" ] && return 0
  dotnet publish "$source/samples/$1" -c Release -p:SampleFramework="$2" -r win-x64 --self-contained \
    -p:UseSharedCompilation=false -nodeReuse:false -nologo -v quiet --artifacts-path "$work/artifacts-$2" \
    -o "$folder" && rm -rf "$work/artifacts-$2" && touch "$folder/$1.made"
}

library() {
  windows_path "$build/recorder/hindsight.dll"
}

# begun SAMPLE NET MODE SOURCES [ARGUMENT...]: starts a sample that is recorded into the empty folder $out,
# from its start or from an attach on, and waits until it is ready, or has printed `until`. MODE: start, attach.
# `made` is a command that runs when the folder is there.
begun() {
  local sample=$1 net=$2 mode=$3 sources=$4 said=${until:-ready} escaped
  shift 4
  current=$sample
  out=$work/recordings
  rm -rf "$out" "$work/end" "$work/go"* "$work/sample.out" && mkdir -p "$out" && ${made:-true} || return 1
  escaped=$(windows_path "$out" | sed 's/\\/\\\\/g')
  wine_environment=()
  [ "$mode" != start ] || wine_environment=(CORECLR_ENABLE_PROFILING=1 "CORECLR_PROFILER={4D9B1F5C-6E2A-4C0E-9B7A-8F6D1E0C5A21}"
    "CORECLR_PROFILER_PATH=$(library)" "HINDSIGHT_OPTIONS=output=$escaped;events.from=start$sources")
  in_wine "$work" wine "$work/samples-$net/$sample.exe" --end "$(windows_path "$work/end")" "$@" >"$work/sample.out" 2>&1 &
  wine_environment=()
  until_true 60 grep -q "$said" "$work/sample.out" || { cat "$work/sample.out"; return 1; }
  [ "$mode" != attach ] || attached "$sample" "${sources#;sources=}"
}

# attached SAMPLE [SOURCES[;OPTION]]
attached() {
  local -a options=()
  [ -z "$2" ] || options=(--sources "${2%%;*}")
  [[ "$2" != *";"* ]] || options+=(--set "${2#*;}")
  trigger attach --name "$1" --profiler "$(library)" --output "$(windows_path "$out")" "${options[@]}"
}

# Tells the sample to end; sets $recording, the only one, and checks that it is intact.
over() {
  touch "$work/end"
  wait %% && grep -q done "$work/sample.out" || { cat "$work/sample.out"; return 1; }
  recording=$(echo "$out"/*.hindsight)
  [ -d "$recording" ] && "$HINDSIGHT_LINUX/analyzer/hindsight" verify "$recording"
}

truth() {
  "$HINDSIGHT_LINUX/tests/live/recording_truth" "$@"
}

# Whether a report of the recording in JSON contains this text.
reports() {
  local text
  text=$("$HINDSIGHT_LINUX/analyzer/hindsight" "$1" "$recording" --json) || return 1
  [[ "$text" == *"$2"* ]] || { echo "$text" | head -c 3000; return 1; }
}

storm_from_start() {
  begun ExceptionStorm "$1" start "" --scale 3 && over && truth storm "${1//[!0-9]/ }" 3 "$recording"
}

# The storm waits until it is told to begin, and the recording ends before the process does.
storm_after_attach() {
  begun ExceptionStorm "$1" attach "" --scale 3 --rounds 1 --go "$(windows_path "$work/go")" || return 1
  touch "$work/go.1"
  until_true 100 test -e "$work/go.1.done" && trigger stop --name ExceptionStorm && over &&
    truth storm "${1//[!0-9]/ }" 3 "$recording"
}

attaches_ten_times() {
  local i
  begun Steady "$1" none "" || return 1
  for i in 1 2 3 4 5 6 7 8 9 10; do
    attached Steady "" && trigger stop --name Steady || return 1
  done
  touch "$work/end" && wait %% && [ "$(find "$out" -name '*.hindsight' | wc -l)" -eq 10 ] || return 1
  for recording in "$out"/*.hindsight; do
    "$HINDSIGHT_LINUX/analyzer/hindsight" verify "$recording" || return 1
  done
}

# deadlock NET MODE CASE ARGUMENTS...: which thread waits for which, by events, or by the snapshot of the threads
# right after an attach.
deadlock() {
  local net=$1 mode=$2 case=$3
  shift 3
  begun WaitSamples "$net" "$mode" "" Deadlock "$@" || return 1
  trigger snapshot --name WaitSamples --threads || return 1
  [ "$mode" != attach ] || trigger stop --name WaitSamples || return 1
  over && truth deadlocks "${net//[!0-9]/ }" "$recording" Deadlock "$case"
}

# The recorder asks managed code each second, beginning once the runtime's events are received.
listens() {
  "$HINDSIGHT_LINUX/analyzer/hindsight" info "$(echo "$out"/*.hindsight)" --json | grep -E 'jit_sample|pool_sample'
}

# The same for requests by route.
knows_routes() {
  "$HINDSIGHT_LINUX/analyzer/hindsight" requests "$(echo "$out"/*.hindsight)" --json | grep -E '"routes_from_ns": [0-9]'
}

# watched SAMPLE NET MODE SOURCES [ARGUMENT...]: a sample that begins once the runtime's events are received, or
# what the command `once` waits for, and is then ready.
watched() {
  local sample=$1 net=$2 mode=$3 sources=$4
  shift 4
  until=started begun "$sample" "$net" "$mode" "$sources" --go "$(windows_path "$work/go")" "$@" &&
    until_true 60 "${once:-listens}" || return 1
  touch "$work/go"
  until_true 100 grep -q ready "$work/sample.out" || { cat "$work/sample.out"; return 1; }
}

# What is recorded so far is the truth.
is_true() { truth "$1" "${net//[!0-9]/ }" "$(echo "$out"/*.hindsight)"; }

# waits NET MODE: as many of each kind as there are, and the owner of the one that never ends.
waits() {
  local net=$1
  watched LockWaits "$net" "$2" ";sources=locks,waits,threads" --count 20 || return 1
  until_true 60 is_true waits || { is_true waits; return 1; }
  over && is_true waits
}

contention() { # NET MODE
  local net=$1
  begun WaitSamples "$net" "$2" "" Contention --threads 4 || return 1
  until_true 60 is_true contention || { is_true contention; return 1; }
  over && is_true contention
}

# allocations NET MODE: the bytes of each type along each path.
allocations() {
  local net=$1
  watched AllocationHot "$net" "$2" ";sources=allocations,gc" && over && is_true allocations
}

# stuck_tasks NET MODE: references alone show the chains; of what nothing awaits, the state is unknown.
stuck_tasks() {
  local net=$1
  begun WaitSamples "$net" "$2" "" StuckTask --count 200 || return 1
  trigger snapshot --name WaitSamples || return 1
  over && is_true tasks && reports tasks "was not recorded"
}

# requests NET MODE: their counts, as the server says them. Those that began before an attach are not counted.
requests() {
  local net=$1
  local -a held=()
  [ "$2" = start ] || held=(--held 3)
  rm -f "$work/said.json"
  watched WebShop "$net" "$2" ";sources=requests,gc" --requests 500 --slow 8 --failing 7 --closed 5 \
    --self-log "$(windows_path "$work/said.json")" "${held[@]}" && over && truth requests "$recording" "$work/said.json"
}

# routes NET MODE: the counts and the endings of each, and those of the calls to the server.
routes() {
  local net=$1
  once=knows_routes watched WebShop "$net" "$2" ";sources=requests,gc;requests.routes=on" --requests 500 --slow 8 --failing 7 --closed 5 --stay || return 1
  until_true 60 routes_are_true || { routes_are_true; return 1; }
  over && routes_are_true
}
routes_are_true() { truth routes "$(echo "$out"/*.hindsight)"; }

# heap SAMPLE NET MODE
heap() {
  begun "$1" "$2" "$3" "" || return 1
  trigger snapshot --name "$1" || return 1
  [ "$3" != attach ] || trigger stop --name "$1" || return 1
  over && truth heap "$1" "$recording/heap-000001.hsr"
}

# cpu NET MODE ARGUMENTS...: recorded until its work is done. The source is off by default.
cpu() {
  local net=$1 mode=$2
  local -a go=()
  shift 2
  [ "$mode" = start ] || go=(--go "$(windows_path "$work/go")")
  until=started begun CpuSamples "$net" "$mode" ";sources=cpu,threads,modules" "${go[@]}" CpuHot "$@" || return 1
  touch "$work/go"
  until_true 300 grep -q ready "$work/sample.out" || { cat "$work/sample.out"; return 1; }
  [ "$mode" != attach ] || trigger stop --name CpuSamples || return 1
  over
}

cpu_paths() {
  cpu "$1" "$2" --rounds 1000 && truth cpu-paths "$recording"
}

cpu_shares() {
  local first
  cpu "$1" start --only shares --rounds 15000 && truth cpu-shares "$recording" || return 1
  first=$("$HINDSIGHT_LINUX/analyzer/hindsight" cpu "$recording" --json --sort self |
    sed -n 's/^.*"method": *"\([^"]*\)".*$/\1/p' | head -n 1)
  equal "the first method" CpuHot.Shares.Sixty "$first"
}

cpu_is_off() {
  begun Steady "$1" start "" && over && reports cpu '"sampled": false'
}

# Every command can read what is recorded, and `check` finds nothing beyond a budget.
every_command() {
  local hindsight=$HINDSIGHT_LINUX/analyzer/hindsight files=$work/made command format
  begun ExceptionStorm "$1" start ";sources=+cpu" --scale 1 && trigger snapshot --name ExceptionStorm && over || return 1
  rm -rf "$files" && mkdir "$files" && printf '[budgets]\n"no deadlocks" = "deadlocks = 0"\n' >"$files/budgets.toml" || return 1
  for command in summary info timeline cpu allocations gc exceptions requests deadlocks wall threads tasks locks pool leaks \
    heap retained dominators collections strings generations verify; do
    reads "$hindsight" $command "$recording" && reads "$hindsight" $command --json "$recording" || return 1
  done
  for format in flamegraph pprof speedscope collapsed; do
    reads "$hindsight" export --format $format --signal exceptions -o "$files/$format" "$recording" || return 1
  done
  for format in otlp trace heapsnapshot sqlite csv; do
    reads "$hindsight" export --format $format -o "$files/$format" "$recording" || return 1
  done
  reads "$hindsight" paths string "$recording" && reads "$hindsight" diff "$recording" "$recording" &&
    reads "$hindsight" sql "$recording" "SELECT count(*) FROM exceptions" && reads "$hindsight" check --budget "$files/budgets.toml" "$recording" &&
    reads "$hindsight" cut --from 0s --to 1s -o "$files/cut.hindsight" "$recording" && reads "$hindsight" verify "$files/cut.hindsight" &&
    reads "$hindsight" report -o "$files/report.html" "$recording" && reads "$hindsight" list "$out" && reads "$hindsight" fleet "$out" &&
    reads "$hindsight" object "$("$hindsight" sql --csv "$recording" "SELECT address FROM objects LIMIT 1" | tail -n 1 | tr -d '\r')" "$recording"
}

reads() { # COMMAND...
  "$@" >"$work/report.txt" 2>&1 && [ -s "$work/report.txt" ] && return 0
  echo "${*:2}:"
  head -n 20 "$work/report.txt"
  return 1
}

check_recorder() {
  local net sample mode
  [ -x "${HINDSIGHT_LINUX:-}/tests/live/recording_truth" ] || { skip "windows: the recorder" "HINDSIGHT_LINUX names no build for Linux with live tests"; return; }
  check "windows: hindsight.dll needs nothing" needs_only "$build/recorder/hindsight.dll" "$library_needs"
  for net in ${HINDSIGHT_NETS:-net8.0 net9.0 net10.0}; do
    for sample in ExceptionStorm Steady WaitSamples LockWaits AllocationHot GraphShapes Leak CpuSamples WebShop; do
      check "windows: $net, $sample is published" published_sample $sample $net
    done
    check "windows: $net, exceptions from the start" storm_from_start $net
    check "windows: $net, exceptions after an attach" storm_after_attach $net
    check "windows: $net, ten attaches" attaches_ten_times $net
    check "windows: $net, a deadlock, from the start" deadlock $net start monitors --locks 2
    check "windows: $net, a deadlock, after an attach" deadlock $net attach monitors --locks 2
    [ $net = net8.0 ] || check "windows: $net, a deadlock of locks" deadlock $net start locks --locks 2 --kind lock
    for mode in start attach; do
      check "windows: $net, waits, $mode" waits $net $mode
      check "windows: $net, contention, $mode" contention $net $mode
      check "windows: $net, allocations, $mode" allocations $net $mode
      check "windows: $net, stuck tasks, $mode" stuck_tasks $net $mode
      check "windows: $net, requests, $mode" requests $net $mode
      check "windows: $net, routes, $mode" routes $net $mode
    done
    for sample in GraphShapes Leak; do
      check "windows: $net, heap of $sample, from the start" heap $sample $net start
      check "windows: $net, heap of $sample, after an attach" heap $sample $net attach
    done
    check_harm $net
    check "windows: $net, CPU time, from the start" cpu_paths $net start
    check "windows: $net, CPU time, after an attach" cpu_paths $net attach
    check "windows: $net, the hottest methods" cpu_shares $net
    check "windows: $net, no CPU time by default" cpu_is_off $net
    check "windows: $net, every command" every_command $net
  done
}
