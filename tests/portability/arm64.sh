# The library and the trigger for arm64: built by Debian's cross compiler, run by qemu with the real
# runtime. The emulator cannot show everything: it refuses fork, so heaps are walked in the pause, and
# its times mean nothing.

arm64_build() {
  cmake -S "$source" --preset linux-arm64 -B "$work/build-arm64" -DHINDSIGHT_BUILD_TESTS=ON -DHINDSIGHT_UNITY=ON \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g0 -DNDEBUG" &&
    cmake --build "$work/build-arm64" -j "$(nproc)" --target hindsight-recorder hindsight-trigger hindsight \
      recorder_stack_test recorder_threads_test
}

# At most glibc 2.17, the first for arm64, and no library but libc, as on x64.
arm64_library() {
  local library=$work/build-arm64/recorder/libhindsight.so
  equal machine AArch64 "$(readelf -h "$library" | sed -n 's/.*Machine: *//p')" || return 1
  equal versions GLIBC_2.17 "$(readelf -W -V "$library" | grep -o 'GLIBC_[0-9.]*' | sort -u | tr '\n' ' ' | sed 's/ $//')" || return 1
  equal needed "libc.so.6 libdl.so.2 libpthread.so.0" \
    "$(readelf -W -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ' | sed 's/ $//')" || return 1
  equal exports "DllCanUnloadNow DllGetClassObject" \
    "$(aarch64-linux-gnu-nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort | tr '\n' ' ' | sed 's/ $//')"
}

# qemu 7.2 has fewer signals than it claims: it accepts a handler for 63 and never raises it. The recorder
# uses the highest one without a handler; with this library, that is 62.
signal_taken() {
  aarch64-linux-gnu-g++ -shared -fPIC -nostdlib -x c++ -o "$1" - <<'END'
#include <signal.h>
__attribute__((constructor)) static void Take() { signal(63, [](int) {}); }
END
}

# The libraries that come with the cross compiler, the emulator, and the analyzer of this machine, which
# reads the recordings; that for arm64 reads one of them.
arm64_root() {
  root=$work/arm64
  mkdir -p "$root"/{proc,dev,tmp,usr,h/samples} && rm -rf "$root/lib" && cp -a /usr/aarch64-linux-gnu/lib "$root/lib" &&
    cp "$(command -v qemu-aarch64-static)" "$root/h/qemu" &&
    cp "$work/build-arm64/recorder/libhindsight.so" "$work/build-arm64/trigger/hindsight-trigger" \
      "$build/analyzer/hindsight" "$root/h/" && cp "$work/build-arm64/analyzer/hindsight" "$root/h/hindsight-arm64" && signal_taken "$root/h/libtaken.so" || return 1
  mountpoint -q "$root/proc" || { mount --bind "$work/samples-arm64" "$root/h/samples" &&
    mount --bind /proc "$root/proc" && mount --bind /dev "$root/dev"; }
}

# Code that reads stacks, code and unwind tables, and lock-free code. Not by ctest: without its own root,
# the emulator hangs where a program starts a thread.
unit_tests() {
  cp "$work/build-arm64/tests/unit/recorder/$1" "$root/h/" && unrecorded || return 1
  environment+=(QEMU_SET_ENV=LD_PRELOAD=/h/libtaken.so)
  inside "/h/$1"
}

# Every exception of the sample, with type, message, stack, catcher and count.
storm_is_the_truth() {
  begin
  sample ExceptionStorm
  recorded exceptions,threads,modules,gc
  inside "${command[@]}" >"$scratch/output" || return 1
  unrecorded
  intact || return 1
  "$build/tests/live/storm_truth" "$root$(recording)" "$net"
}

# The analyzer for arm64 says the same about the last recording as that of this machine.
analyzer_is_the_same() {
  local report
  unrecorded
  for report in info exceptions timeline "exceptions --json"; do
    # shellcheck disable=SC2086
    hindsight $report "$(recording)" >"$scratch/x64.txt" && inside "$h/hindsight-arm64" $report "$(recording)" >"$scratch/arm64.txt" &&
      [ -s "$scratch/arm64.txt" ] && diff "$scratch/x64.txt" "$scratch/arm64.txt" || return 1
  done
}

# Methods that use CPU time 6 to 3 to 1, translated as they run: only the order is certain. Their callers are
# known, up to the thread's first method.
cpu_samples_emulated() {
  begin
  sample CpuSamples --end "$inner/end" CpuHot --only shares --ms 1500
  recorded 'cpu,exceptions,threads,modules,gc;cpu.hz=1000'
  environment+=(QEMU_SET_ENV=LD_PRELOAD=/h/libtaken.so)
  start "${command[@]}" || return 1
  unrecorded
  ends || return 1
  intact || return 1
  local hottest with_callers
  hottest=$(sql "SELECT m.name FROM cpu_samples c JOIN stacks s USING (stack) JOIN methods m ON m.method = s.method
    WHERE m.name LIKE 'CpuHot.Shares.%' GROUP BY 1 ORDER BY sum(c.cpu_ns) DESC LIMIT 1")
  equal hottest CpuHot.Shares.Sixty "$hottest" || return 1
  # A thread's first samples, until the bounds of its stack are known, have one frame.
  with_callers=$(sql "SELECT CASE WHEN count(*) > 50 AND 100 * sum(NOT is_unrooted AND path GLOB
      '*CpuHot.Program.Start.lambda#0;CpuHot.Shares.Use;CpuHot.Shares.*') >= 97 * count(*) THEN 'most'
      ELSE count(*) END AS found
    FROM cpu_samples JOIN stacks USING (stack) JOIN methods m USING (method)
    WHERE depth > 1 AND m.name IN ('CpuHot.Shares.Sixty', 'CpuHot.Shares.Thirty', 'CpuHot.Shares.Ten')" | tail -n 1)
  equal "samples that have their callers" most "$with_callers" && return 0
  sql 'SELECT path, is_unrooted, count(*) FROM cpu_samples JOIN stacks USING (stack) GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 15'
  return 1
}

check_arm64() {
  local lacks test
  lacks=$(arm64_lacks)
  if [ -n "$lacks" ]; then
    skip arm64 "$lacks"
    return
  fi
  check "arm64: builds" arm64_build
  check "arm64: the library asks for glibc 2.17 alone" arm64_library
  check "arm64: samples" published_samples linux-arm64 samples-arm64
  check "arm64: a root" arm64_root
  root=$work/arm64 h=/h samples=/h/samples dotnet=none net=10 emulator=/h/qemu snapshot_way="while the application was paused" patience=600
  # The thread is held by the signal that samples it.
  crash_environment=(QEMU_SET_ENV=LD_PRELOAD=/h/libtaken.so)
  check "arm64: programs" programs_run
  for test in recorder_stack_test recorder_threads_test; do
    check "arm64: $test" unit_tests $test
  done
  check "arm64, .NET 10: exceptions are the sample's truth" storm_is_the_truth
  check "arm64: hindsight for arm64 reads it, too" analyzer_is_the_same
  check_recordings "arm64, .NET $net" cpu_samples_emulated
  emulator="" snapshot_way="(fork)" patience=60 crash_environment=()
}
