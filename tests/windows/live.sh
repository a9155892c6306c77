# hindsight-trigger.exe against the real runtime: win-x64's, from NuGet, published self-contained.

# published NET: $work/Steady-NET, once.
published() {
  [ -e "$work/Steady-$1.made" ] && return 0
  dotnet publish "$source/samples/Steady" -c Release -p:SampleFramework="$1" -r win-x64 --self-contained \
    -p:UseSharedCompilation=false -nodeReuse:false -nologo -v quiet --artifacts-path "$work/artifacts-$1" \
    -o "$work/Steady-$1" && rm -rf "$work/artifacts-$1" && touch "$work/Steady-$1.made"
}

# A path of this machine as Windows programs see it.
windows_path() {
  echo "Z:${1//\//\\}"
}

trigger() {
  in_wine "$work" wine "$build/trigger/hindsight-trigger.exe" "$@"
}

# started NET [NAME=VALUE...]: starts a sample that runs until `ended`.
started() {
  local net=$1
  shift
  rm -f "$work/end" "$work/steady.out"
  wine_environment=("$@")
  in_wine "$work" wine "$work/Steady-$net/Steady.exe" --end "$(windows_path "$work/end")" >"$work/steady.out" 2>&1 &
  wine_environment=()
  until_true 60 grep -q ready "$work/steady.out"
}

ended() {
  touch "$work/end"
  wait %% && grep -q done "$work/steady.out"
}

# answers CODE TEXT ARGUMENTS...: checks the trigger's exit code, and that its output contains TEXT.
answers() {
  local expected=$1 text=$2 said code
  shift 2
  said=$(trigger "$@" 2>&1)
  code=$?
  [ "$code" -eq "$expected" ] && [[ "$said" == *"$text"* ]] && return 0
  echo "trigger $*: exit code $code instead of $expected, and: $said"
  return 1
}

is_listed() {
  local line
  line=$(trigger list | grep 'Steady.exe') || return 1
  [[ "$line" =~ ^\ +[0-9]+\ +[^\ ]+\ +$1[0-9.]*\ +no\ +.*Steady.exe ]] || { echo "$line"; return 1; }
}

refuses_what_is_no_library() {
  local given=$work/given.dll
  answers 21 "There is no " attach --name Steady --profiler "$(windows_path "$work/none.dll")" || return 1
  answers 21 "hindsight.dll is neither in" attach --name Steady || return 1
  echo text >"$given"
  answers 22 "is not a library" attach --name Steady --profiler "$(windows_path "$given")" || return 1
  answers 22 "is a folder" attach --name Steady --profiler "$(windows_path "$work")" || return 1
  head -c 3000 "$build/tests/windows/answering_profiler.dll" >"$given"
  answers 39 "is incomplete" attach --name Steady --profiler "$(windows_path "$given")" || return 1
  # i386 instead of x64, at what IMAGE_DOS_HEADER points to.
  cp "$build/tests/windows/answering_profiler.dll" "$given" &&
    printf '\x4c\x01' | dd of="$given" bs=1 seek=$(($(od -An -tu4 -j60 -N4 "$given") + 4)) conv=notrunc status=none || return 1
  answers 19 "is built for x86" attach --name Steady --profiler "$(windows_path "$given")"
}

# attach_answering CLASS ANSWER CODE TEXT: class 1 of the profiler answers with ANSWER, an HRESULT.
attach_answering() {
  answers "$3" "$4" attach --name Steady --profiler "$(windows_path "$build/tests/windows/answering_profiler.dll")" \
    --profiler-guid "{0000000$1-0000-0000-0000-000000000000}" --client-data "$2" --send-timeout 0.3s
}

# Every HRESULT of the table comes through a real runtime and is explained.
explains_all() {
  local code value name failures=0 count=0
  while read -r code value name; do
    [[ $value == 0x* ]] || continue
    # The runtime says NOT_ATTACHABLE for E_NOTIMPL.
    [ "$value" != 0x80004001 ] || { code=40 value=0x80004001 name=CORPROF_E_PROFILER_NOT_ATTACHABLE; }
    count=$((count + 1))
    attach_answering 1 "$value" "$code" "$name" || failures=$((failures + 1))
  done < <(trigger exit-codes)
  echo "$count HRESULTs"
  [ $failures -eq 0 ] && [ $count -gt 30 ]
}

knows_profilers() {
  attach_answering 2 "" 40 CORPROF_E_PROFILER_NOT_ATTACHABLE && attach_answering 3 "" 106 CLASS_E_CLASSNOTAVAILABLE
}

attaches_once() {
  attach_answering 1 "" 0 "is attached to process" && attach_answering 1 "" 41 CORPROF_E_PROFILER_ALREADY_ACTIVE
}

tells_diagnostics_off() {
  started net10.0 DOTNET_EnableDiagnostics=0 || return 1
  answers 16 "runs with DOTNET_EnableDiagnostics=0" attach --name Steady \
    --profiler "$(windows_path "$build/tests/windows/answering_profiler.dll")"
  local code=$?
  ended && return $code
}

launches() {
  answers 7 "" launch --quiet --profiler "$(windows_path "$build/tests/windows/answering_profiler.dll")" -- cmd /c exit 7 &&
    answers 0 "{4D9B1F5C-" launch --quiet --profiler "$(windows_path "$build/tests/windows/answering_profiler.dll")" -- cmd /c "echo %CORECLR_PROFILER%" &&
    answers 127 "Cannot run" launch --profiler "$(windows_path "$build/tests/windows/answering_profiler.dll")" -- no-such-command
}

# Costs that are known of Linux only are said to be.
tells_costs() {
  local told
  told=$(trigger sources) || return 1
  [[ "$told" == *"cost: each sample suspends its thread"*"not measured on Windows"* && "$told" == *"per exception (measured on Linux)"* &&
    "$told" != *"of the application's CPU time"* ]] || { echo "$told"; return 1; }
}

check_live() {
  local net
  check "windows: hindsight-trigger.exe needs nothing" needs_only "$build/trigger/hindsight-trigger.exe" "$trigger_needs"
  for net in net8.0 net9.0 net10.0; do
    check "windows: $net is published" published $net || continue
    started $net || { check "windows: $net starts" false; continue; }
    check "windows: $net is listed" is_listed "${net#net}"
    check "windows: $net is not recorded" answers 34 "is not being recorded" status --name Steady
    check "windows: $net and what is no library" refuses_what_is_no_library
    check "windows: $net and a library that is no profiler" answers 48 "lacks the entry point DllGetClassObject" \
      attach --name Steady --profiler 'C:\windows\system32\kernel32.dll'
    check "windows: $net and profilers that cannot be attached" knows_profilers
    [ $net != net10.0 ] || check "windows: $net and each HRESULT" explains_all
    check "windows: $net is attached to once" attaches_once
    check "windows: $net ends well" ended
  done
  check "windows: costs of sources" tells_costs
  check "windows: no such process" answers 10 "There is no process 1 here." attach 1
  check "windows: diagnostics are off" tells_diagnostics_off
  check "windows: launch" launches
}
