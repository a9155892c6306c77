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

# glibc_names FILE OPTIONS...: builds a library with the symbols that libstdc++ lacks in these roots.
glibc_names() {
  local file=$1
  shift
  g++ -std=c++20 -O2 -fPIC -shared -nostdlib -fno-exceptions -fno-stack-protector -o "$file" \
    "$here/glibc_names.cc" "$@"
}

# A root of glibc 2.17 alone, that of RHEL 7: the libraries of a cross compiler's system root, which npm
# has; packages of distributions that old are no longer available. The runtime needs a libstdc++ of GCC 5
# or newer, and Debian 11's needs one symbol of glibc 2.18: with that version marked as weak and the symbol
# in a library of ours, it works.
glibc217_root() {
  local root=$work/glibc217 package=@napi-rs/cross-toolchain-x64-target-x86_64@1.0.0
  [ -e "$root.made" ] && return 0
  rm -rf "$root" "$work/toolchain"
  mkdir -p "$root"/{proc,dev,tmp,usr} "$work/toolchain" &&
    (cd "$work/toolchain" && npm pack --silent "$package" && tar -xzf ./*.tgz && tar -xJf package/*.tar.xz) || return 1
  cp -a "$work"/toolchain/x86_64-unknown-linux-gnu/sysroot/lib "$root/lib" && ln -s lib "$root/lib64" || return 1
  rm -rf "$work/toolchain" "$root"/lib/libstdc++* "$root"/lib/libgcc_s*
  debian_root bullseye && glibc_names "$root/lib/libglibc-names.so" -DHINDSIGHT_FOR_GLIBC &&
    cp -L "$work/bullseye/usr/lib/x86_64-linux-gnu/libstdc++.so.6" "$work/bullseye/lib/x86_64-linux-gnu/libgcc_s.so.1" \
      "$root/lib/" && chmod u+w "$root"/lib/lib{stdc++,gcc_s}.so.* &&
    patchelf --add-needed libglibc-names.so --clear-symbol-version __cxa_thread_atexit_impl \
      "$root/lib/libstdc++.so.6" || return 1
  # 0x06969198 is the hash of GLIBC_2.18; VER_FLG_WEAK is 2.
  perl -0777 -pi -e 's/\x98\x91\x96\x06\x00\x00/\x98\x91\x96\x06\x02\x00/' "$root/lib/libstdc++.so.6" &&
    touch "$root.made"
}

# A root that has musl's loader and nothing of glibc's. The runtime for musl needs a libstdc++, and
# Debian has none for musl: its usual one works, without its dependency on glibc's loader and with the
# few symbols that musl lacks. Nobody ships such a system, but loader, libc, runtime and the library
# under test are the real ones.
musl_root() {
  local root=$work/musl library
  rm -rf "$root"
  mkdir -p "$root"/{lib,usr/lib,proc,dev,tmp} || return 1
  cp /lib/x86_64-linux-musl/libc.so "$root/lib/ld-musl-x86_64.so.1" &&
    glibc_names "$root/usr/lib/libglibc-names.so" "$source/recorder/portable/compat.cc" || return 1
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

# published_samples SYSTEM FOLDER: publishes self-contained samples; NuGet provides what this machine lacks.
published_samples() {
  local sample made=$work/$2
  for sample in ExceptionStorm HeapSamples WaitSamples CpuSamples LockWaits AllocationHot; do
    [ -e "$made/$sample.made" ] && continue
    dotnet publish "$source/samples/$sample" -c Release -p:SampleFramework=net10.0 -r "$1" \
      --self-contained -p:UseSharedCompilation=false -nodeReuse:false -nologo -v quiet \
      --artifacts-path "$made/$sample.artifacts" -o "$made/$sample-net10.0" || return 1
    rm -rf "$made/$sample.artifacts"
    touch "$made/$sample.made"
  done
}
