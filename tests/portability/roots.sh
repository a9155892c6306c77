# Roots of other systems, below $work. Each has /h with the library, the programs and the samples, as
# they are in the build.

# debian_root SUITE: makes $work/SUITE once.
debian_root() {
  local root=$work/$1
  [ -e "$root.made" ] && return 0
  rm -rf "$root"
  debootstrap --variant=minbase "$1" "$root" "${HINDSIGHT_DEBIAN:-http://deb.debian.org/debian}" &&
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* && touch "$root.made"
}

# A root that has musl's loader and nothing of glibc's. The runtime for musl needs a libstdc++, and
# Debian has none for musl: its own serves, without its dependency on glibc's loader and with the few
# names that musl does not have. Like that it is no system that anybody ships, but loader, libc, runtime
# and the library under test are the real ones.
musl_root() {
  local root=$work/musl library
  rm -rf "$root"
  mkdir -p "$root"/{lib,usr/lib,proc,dev,tmp} || return 1
  cp /lib/x86_64-linux-musl/libc.so "$root/lib/ld-musl-x86_64.so.1" &&
    g++ -std=c++20 -O2 -fPIC -shared -nostdlib -fno-exceptions -fno-stack-protector \
      -o "$root/usr/lib/libglibc-names.so" "$here/glibc_names.cc" "$source/recorder/portable/compat.cc" || return 1
  for library in libstdc++.so.6 libgcc_s.so.1; do
    cp -L "$(g++ -print-file-name=$library)" "$root/usr/lib/$library" && chmod u+w "$root/usr/lib/$library" &&
      patchelf --remove-needed ld-linux-x86-64.so.2 --remove-needed libm.so.6 \
        --add-needed libglibc-names.so "$root/usr/lib/$library" || return 1
  done
}

# fill_root ROOT SAMPLES: mounts what every check needs. SAMPLES is the folder that becomes /h/samples.
fill_root() {
  local root=$1 file
  mkdir -p "$root"/h/samples "$root"/proc "$root"/dev "$root"/tmp || return 1
  for file in recorder/libhindsight.so analyzer/hindsight trigger/hindsight-trigger; do
    cp "$build/$file" "$root/h/" || return 1
  done
  mount --bind "$2" "$root/h/samples" && mount --bind /proc "$root/proc" && mount --bind /dev "$root/dev"
}

# Samples for musl come from NuGet as self-contained publishes.
musl_samples() {
  local sample made=$work/samples-musl
  for sample in ExceptionStorm HeapSamples WaitSamples CpuSamples; do
    [ -e "$made/$sample.made" ] && continue
    dotnet publish "$source/samples/$sample" -c Release -p:SampleFramework=net10.0 -r linux-musl-x64 \
      --self-contained -p:UseSharedCompilation=false -nodeReuse:false -nologo -v quiet \
      --artifacts-path "$made/$sample.artifacts" -o "$made/$sample-net10.0" || return 1
    rm -rf "$made/$sample.artifacts"
    touch "$made/$sample.made"
  done
}
