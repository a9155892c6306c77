# What samples/containers promise, and who may attach.

# one_of FOLDER [ENDED]: checks that FOLDER has one recording, which lost nothing; ENDED: and has an end.
# Sets $recording.
one_of() {
  local folder=$1 ended=${2:-}
  set -- "$folder"/*.hindsight
  [ $# -eq 1 ] && [ -e "$1" ] || { echo "not one recording but: $*"; return 1; }
  recording=$1
  "$hindsight" verify "$recording" >"$work/verified"
  grep -E '^lost +(nothing|0 segments, 0 bytes damaged)' "$work/verified" || { cat "$work/verified"; return 1; }
  [ -z "$ended" ] || grep -E '^verdict +intact' "$work/verified" || { cat "$work/verified"; return 1; }
  [ "$(value 'SELECT count(*) > 2 FROM threads')" = 1 ] || { echo "it has no threads"; return 1; }
}

value() { "$hindsight" sql --csv "$recording" "$1" | tail -n 1 | tr -d '\r'; }

has_threads() { # FOLDER: there is a recording with more than its first segment
  set -- "$1"/*.hindsight
  [ -e "$1" ] && recording=$1 && [ "$(value 'SELECT count(*) > 2 FROM threads')" = 1 ]
}

fresh() { rm -rf "$work/out" && mkdir -p "$work/out"; }

records() { "$trigger" status "$pid" | grep -E '^ *state +recording'; }

# The trigger's exit code and message. `said` is both outputs.
refused() { # CODE WORDS COMMAND...
  local code=$1 words=$2 got
  shift 2
  said=$("$@" 2>&1)
  got=$?
  echo "$said"
  equal "exit code" "$code" "$got" && grep -qF "$words" <<<"$said"
}

nothing_left() { # of a library that was copied in
  equal "left in /tmp" "" "$(find "/proc/$pid/root/tmp" -name 'hindsight-lib-*')"
}

is_restricted() {
  equal capabilities 0000000000000000 "$(sed -n 's/^CapEff:\t//p' "/proc/$pid/status")" &&
    equal user 1000 "$(awk '/^Uid:/ {print $2}' "/proc/$pid/status")" &&
    equal seccomp 2 "$(awk '/^Seccomp:/ {print $2}' "/proc/$pid/status")" &&
    equal "new privileges" 1 "$(awk '/^NoNewPrivs:/ {print $2}' "/proc/$pid/status")" &&
    ! touch "/proc/$pid/root/app/written" 2>/dev/null
}

from_the_start() {
  fresh
  play start || return 1
  is_restricted || return 1
  until_true 30 records || return 1
  # While it is recorded, and again when the process has ended by SIGTERM.
  local volume
  volume=$(engine volume inspect --format '{{.Mountpoint}}' recordings)
  until_true 30 has_threads "$volume/steady" || return 1
  "$trigger" pull "$pid" -o "$work/out" && one_of "$work/out" || return 1
  engine stop -t 20 start-steady || return 1
  one_of "$volume/steady" ended && run --rm -v recordings:/recordings localhost/hindsight hindsight summary "/recordings/steady/${recording##*/}" &&
    equal ended process_exit "$(value 'SELECT ended FROM recordings')"
}

# While /tmp is read-only there is no diagnostics port, so attaching is impossible, and the recorder
# cannot be reached. It records nevertheless, into a folder of its own on a volume that anyone can write to.
without_tmp() {
  fresh
  mkdir -p "$work/library" && cp "$build/recorder/libhindsight.so" "$work/library/" && chmod 777 "$work/out"
  run -d --name bare "${restricted[@]}" -v "$work/library:/hindsight:ro" -v "$work/out:/recordings" \
    -e CORECLR_ENABLE_PROFILING=1 -e 'CORECLR_PROFILER={4D9B1F5C-6E2A-4C0E-9B7A-8F6D1E0C5A21}' \
    -e CORECLR_PROFILER_PATH=/hindsight/libhindsight.so -e 'HINDSIGHT_OPTIONS=output=/recordings/steady' \
    localhost/steady || return 1
  until_true 60 is_ready bare || { engine logs bare; return 1; }
  pid=$(pid_of bare)
  until_true 30 has_threads "$work/out/steady" || return 1
  refused 17 "is mounted read-only" "$trigger" attach "$pid" || return 1
  engine logs bare 2>&1 | grep -F hindsight
  engine stop -t 20 bare || return 1
  one_of "$work/out/steady" ended
}

# storm NAME ARGUMENTS...: runs a container whose process dies of an unhandled exception, until it has ended.
# Sets $code: as the first process of its namespace, it ends by a signal other than SIGABRT.
storm() {
  local name=$1
  shift
  run -d --name "$name" "${restricted[@]}" --tmpfs /tmp:rw,nosuid,nodev,exec,mode=1777 --memory 512m --memory-swap 512m \
    --entrypoint '["dotnet", "/app/ExceptionStorm.dll", "--ballast", "30000", "--unhandled", "thread"]' "$@" \
    localhost/exceptionstorm && code=$(engine wait "$name")
}

# The process is held until its heap is on the volume, and then ends as it would without a recorder.
crash_has_its_heap() {
  local bare
  fresh
  storm unrecorded || return 1
  bare=$code
  [ "$bare" -gt 128 ] || { echo "it ended with $bare"; return 1; }
  mkdir -p "$work/library" && cp "$build/recorder/libhindsight.so" "$work/library/" && chmod 777 "$work/out"
  storm crash -v "$work/library:/hindsight:ro" -v "$work/out:/recordings" \
    -e CORECLR_ENABLE_PROFILING=1 -e 'CORECLR_PROFILER={4D9B1F5C-6E2A-4C0E-9B7A-8F6D1E0C5A21}' \
    -e CORECLR_PROFILER_PATH=/hindsight/libhindsight.so \
    -e 'HINDSIGHT_OPTIONS=output=/recordings/storm;when=unhandled:snapshot' || return 1
  equal "exit code" "$bare" "$code" || { engine logs crash; return 1; }
  one_of "$work/out/storm" || return 1
  equal ballast 30000 "$(value "SELECT max(objects) FROM heap_by_type WHERE type = 'ExceptionStorm.Ballast'")" ||
    { "$hindsight" info "$recording"; "$hindsight" timeline "$recording" | tail -n 15; engine logs crash; return 1; }
  equal unhandled 1 "$(value 'SELECT sum(unhandled) FROM exceptions')" && echo "ended with $code, as unrecorded"
}

check_start() {
  check "start: an init container, read-only root, no capabilities" from_the_start
  remove_all
  check "start: no writable /tmp" without_tmp
  remove_all
  check "start: the heap snapshot of a crash" crash_has_its_heap
  remove_all
}

# recorded_by POD ATTACH_ARGUMENTS...: attach, snapshot, stop and pull, all from the sidecar.
recorded_by() {
  local pod=$1
  shift
  fresh
  play "$pod" || return 1
  is_restricted || return 1
  in_sidecar "$pod" list | grep Steady || return 1
  in_sidecar "$pod" attach --name Steady "$@" || return 1
  nothing_left || return 1
  in_sidecar "$pod" snapshot --name Steady || return 1
  in_sidecar "$pod" status --name Steady && in_sidecar "$pod" stop --name Steady || return 1
  in_sidecar "$pod" pull --name Steady -o - | tar -C "$work/out" -x || return 1
  one_of "$work/out" ended || return 1
  equal snapshots 1 "$(value 'SELECT count(*) FROM heap_snapshots WHERE is_complete')" || return 1
  # And without a recording to join.
  in_sidecar "$pod" snapshot --name Steady "$@" && nothing_left
}

with_volume() {
  recorded_by sidecar-volume --profiler /hindsight/libhindsight.so || return 1
  # Anyone can write to a volume of Kubernetes; a container that mounts it read-only cannot.
  chmod 777 "$(engine volume inspect --format '{{.Mountpoint}}' hindsight)" &&
    in_sidecar sidecar-volume attach --name Steady --profiler /hindsight/libhindsight.so &&
    in_sidecar sidecar-volume stop --name Steady
}

check_sidecars() {
  check "sidecar: the library is copied in" recorded_by sidecar
  remove_all
  check "sidecar: the library on a volume" with_volume
  remove_all
}

# An application in a container, whose /tmp is writable and nothing else.
application() { # NAME ARGUMENTS...
  local name=$1
  shift
  run -d --name "$name" "${restricted[@]}" --tmpfs /tmp:rw,nosuid,nodev,exec,mode=1777 "$@" || return 1
  until_true 60 is_ready "$name" || { engine logs "$name"; return 1; }
  pid=$(pid_of "$name")
}

# Its first second may not be on disk yet.
is_kept() { fresh && "$trigger" keep "$pid" -o "$work/out" && has_threads "$work/out"; }

from_the_host() {
  fresh
  application app localhost/steady || return 1
  "$trigger" list | grep "^ *$pid " || return 1
  "$trigger" attach "$pid" && nothing_left || return 1
  until_true 30 is_kept && one_of "$work/out" || return 1
  "$trigger" stop "$pid" && fresh && "$trigger" pull "$pid" -o "$work/out" && one_of "$work/out" ended || return 1
  "$trigger" pull "$pid" -o "$work/out" | grep "nothing new" || return 1
  "$trigger" snapshot "$pid" --threads && nothing_left
}

check_host() {
  check "host: attach, keep, stop, pull" from_the_host
  remove_all
}

# debug CONTAINER USER ARGUMENTS...: as `kubectl debug --target` starts it.
debug() {
  local target=$1 user=$2
  shift 2
  run --rm --pid "container:$target" --user "$user" "$@"
}

# of_debug KEY: a value of samples/containers/debug.yaml.
of_debug() { sed -n "s/^ *$1: *//p" "$source/samples/containers/debug.yaml"; }

# debug_options: the settings of the file as options of podman. Any other setting is an error.
debug_options() {
  local known="runAsUser|runAsGroup|runAsNonRoot|allowPrivilegeEscalation|readOnlyRootFilesystem|drop|type"
  equal "unknown keys" "" "$(grep -vE "^#|^securityContext:$|^  (capabilities|seccompProfile):$|^ +($known): " \
    "$source/samples/containers/debug.yaml")" &&
    equal "escalation" false "$(of_debug allowPrivilegeEscalation)" &&
    equal "capabilities" '["ALL"]' "$(of_debug drop)" &&
    equal "read-only" true "$(of_debug readOnlyRootFilesystem)" &&
    equal "seccomp" RuntimeDefault "$(of_debug type)" || return 1
  options=(--user "$(of_debug runAsUser):$(of_debug runAsGroup)" "${restricted[@]}")
}

by_debug_container() {
  local options
  fresh
  # The kernel requires the same group as well.
  debug_options && application app --user "$(of_debug runAsUser):$(of_debug runAsGroup)" localhost/steady || return 1
  # It keeps running, and commands are run in it, as with a sidecar.
  run -d --name debugger --pid container:app "${options[@]}" localhost/hindsight hindsight-trigger idle || return 1
  local tool=(engine exec debugger hindsight-trigger)
  "${tool[@]}" list >"$work/listed" && grep Steady "$work/listed" || { cat "$work/listed"; return 1; }
  "${tool[@]}" attach --name Steady && nothing_left && "${tool[@]}" snapshot --name Steady || return 1
  "${tool[@]}" stop --name Steady || return 1
  "${tool[@]}" pull --name Steady -o - | tar -C "$work/out" -x || return 1
  one_of "$work/out" ended
}

check_debug() {
  check "debug: an ephemeral container" by_debug_container
  # podman removes a container only after those that share its namespaces.
  engine rm -f -t 0 debugger >/dev/null 2>&1
  remove_all
}

who_may() {
  application app localhost/steady || return 1
  refused 12 "belongs to 1000" debug app 2000 localhost/hindsight hindsight-trigger attach --name Steady || return 1
  refused 15 "SYS_PTRACE and DAC_OVERRIDE" \
    debug app 0 --cap-drop=all localhost/hindsight hindsight-trigger attach --name Steady || return 1
  # Root, with these capabilities and no others.
  local root=(debug app 0 --cap-drop=all --cap-add=SYS_PTRACE,DAC_OVERRIDE,CHOWN localhost/hindsight hindsight-trigger)
  "${root[@]}" attach --name Steady && "${root[@]}" stop --name Steady && nothing_left
}

check_users() {
  check "users: another one, root without capabilities, root with three" who_may
  remove_all
}
