# What happens to processes, disks and folders: it costs at most the last second of a recording, and nothing of
# the application. Uses recorder.sh.

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# The number of throws so far, which the storm keeps in a file.
ticks() { od -An -td8 -N8 "$work/ticks" | tr -d ' '; }

has_ticked() { [ "$(ticks)" -gt 0 ]; }

# Kills the storm at a random moment, and checks that what it had thrown a second before is there. What the second
# is longer here is for the scheduler of a busy machine, as on Linux (tests/live/robustness_test.cc).
kill_at_random() { # NET
  local promised=1500 before=0 life end pid now times=() counts=() i
  rm -f "$work/kill" "$work/terminate.out"
  truncate -s 0 "$work/ticks" && truncate -s 4096 "$work/ticks" || return 1
  begun ExceptionStorm "$1" start "" --tick "$(windows_path "$work/ticks")" || return 1
  pid=$(trigger list | awk '/ExceptionStorm.exe/ {print $1}')
  in_wine "$work" wine "$build/tests/windows/terminate.exe" "$pid" "$(windows_path "$work/kill")" >"$work/terminate.out" 2>&1 &
  local terminate=$!
  until_true 60 grep -q waiting "$work/terminate.out" && until_true 60 has_ticked || return 1
  life=$((RANDOM % 3500))
  end=$(($(milliseconds) + life))
  while now=$(milliseconds) && [ "$now" -lt $end ]; do
    times+=("$now") counts+=("$(ticks)")
    sleep 0.01
  done
  now=$(milliseconds)
  touch "$work/kill"
  for i in "${!times[@]}"; do [ "${times[i]}" -ge $((now - promised)) ] || before=${counts[i]}; done
  wait $terminate || { echo "it was not terminated: $?"; return 1; }
  recording=$(echo "$out"/*.hindsight)
  echo "killed after $life ms"
  # The one in flight is counted after its catch.
  truth ticks "$before" $(($(ticks) + 1)) "$recording"
}

kills_at_random() { # NET
  local i
  for i in $(seq "${HINDSIGHT_LIVE_REPEATS:-5}"); do kill_at_random "$1" || return 1; done
}

# A process that is killed loses at most the last second: what was thrown before is there.
survives_a_kill() {
  begun ExceptionStorm "$1" start "" --scale 1 || return 1
  until_true 100 grep -q done "$work/sample.out"
  sleep 2
  in_wine "$work" wine taskkill /f /im ExceptionStorm.exe || return 1
  wait %%
  recording=$(echo "$out"/*.hindsight)
  "$HINDSIGHT_LINUX/analyzer/hindsight" verify "$recording"
  truth storm "${1//[!0-9]/ }" 1 "$recording"
}

# mounted OPTIONS...: another file system as $disk, here and for wine, and a folder of it as $out. (wine shows a
# mount point as a link, which must not be the last part of the path.)
mounted() {
  disk=$out
  out=$disk/below
  mount "$@" "$disk" && mount --bind "$disk" "$wine_root$disk"
}
unmounted() {
  umount -l "$wine_root$disk"
  umount -l "$disk"
}

# With room for some 60 KiB.
small_disk() {
  mounted -t tmpfs -o size=256k,mode=0700 small && fallocate -l 192K "$disk/filler" && mkdir "$out"
}

lines_of_recorder() { grep -ac '^hindsight: ' "$work/sample.out"; }

full_disk() {
  local code
  made=small_disk begun ExceptionStorm "$1" start "" --scale 20 --rounds 2 --go "$(windows_path "$work/go")"
  code=$?
  [ $code -ne 0 ] || { while_disk_is_full; code=$?; }
  touch "$work/go.1" "$work/go.2" "$work/end"
  wait
  unmounted
  return $code
}

# What is there can be read; once there is space again, the recording continues and says what is missing.
while_disk_is_full() {
  touch "$work/go.1"
  until_true 100 grep -aq '^hindsight: .*disk' "$work/sample.out" && until_true 200 test -e "$work/go.1.done" || { cat "$work/sample.out"; return 1; }
  recording=$(echo "$out"/*.hindsight)
  "$HINDSIGHT_LINUX/analyzer/hindsight" exceptions "$recording" | grep ExceptionStorm || return 1
  rm "$disk/filler" && touch "$work/go.2"
  until_true 60 tells_its_loss || { "$HINDSIGHT_LINUX/analyzer/hindsight" verify "$recording"; return 1; }
  touch "$work/end"
  wait %% && equal "what the application said" "ready done" "$(grep -av '^hindsight: ' "$work/sample.out" | tr -d '\r' | xargs)" &&
    equal "lines of the recorder" 1 "$(lines_of_recorder)"
}

tells_its_loss() {
  local verified
  verified=$("$HINDSIGHT_LINUX/analyzer/hindsight" verify "$recording" --json | tr -d ' \n')
  [[ "$verified" != *'"missing_segments":[]'* || "$verified" != *'"lost_events":[]'* ]]
}

read_only_disk() { mounted --bind "$out" && mkdir "$out" && mount -o remount,bind,ro "$wine_root$disk"; }

is_not_recorded() {
  touch "$work/end"
  wait %% && equal "what the application said" "ready done" "$(grep -av '^hindsight: ' "$work/sample.out" | tr -d '\r' | xargs)" &&
    equal "recordings" "" "$(find "$out" -name '*.hindsight')"
}

# Neither below a file, nor on a file system that is read-only. The application runs as ever, and one line says why
# it is not recorded.
refuses_folders_that_cannot_be_written() {
  local code
  begun Steady "$1" none "" || return 1
  echo text >"$out/file"
  trigger attach --name Steady --profiler "$(library)" --output "$(windows_path "$out/file/below")" && return 1
  is_not_recorded || return 1
  made=read_only_disk begun Steady "$1" start "" && is_not_recorded && equal "lines of the recorder" 1 "$(lines_of_recorder)" &&
    grep -aF " $(windows_path "$out"): Permission denied; " "$work/sample.out"
  code=$?
  touch "$work/end"
  wait
  unmounted
  return $code
}

# wine turns access control lists into modes: administrators are the group. What is created without such a list
# can be read by others.
files_are_private() {
  begun Steady "$1" start "" && trigger snapshot --name Steady && over || return 1
  equal "what others may use" "" "$(find "$recording" -perm /007)" &&
    equal "what its owner may not use" "" "$(find "$recording" ! -perm -600)"
}

has_segment() { [ -n "$(find "$out" -name '*.hsr' -size +0)" ]; }

# Another program renames what is being written. wine forgets a file's volume with its name, so the recorder takes
# the handle for one that the application has closed: it continues in a new file and says what it has lost.
survives_a_renamed_file() {
  local file
  begun ExceptionStorm "$1" start "" --go "$(windows_path "$work/go")" || return 1
  until_true 60 has_segment || return 1
  file=$(find "$out" -name '*.hsr')
  in_wine "$work" wine cmd /c ren "$(windows_path "$file")" elsewhere && [ ! -e "$file" ] || { echo "$file was not renamed"; return 1; }
  touch "$work/go.1"
  until_true 100 test -e "$work/go.1.done" && until_true 60 grep -aq '^hindsight: ' "$work/sample.out" || { cat "$work/sample.out"; return 1; }
  touch "$work/end"
  wait %% && recording=${file%/*} && mv "$recording/elsewhere" "$file" && tells_its_loss && equal "lines of the recorder" 1 "$(lines_of_recorder)"
}

check_harm() { # NET
  check "windows: $1, a kill" survives_a_kill "$1"
  check "windows: $1, kills at random moments" kills_at_random "$1"
  check "windows: $1, a full disk" full_disk "$1"
  check "windows: $1, folders that cannot be written" refuses_folders_that_cannot_be_written "$1"
  check "windows: $1, files are private" files_are_private "$1"
  check "windows: $1, a file that is renamed" survives_a_renamed_file "$1"
}
