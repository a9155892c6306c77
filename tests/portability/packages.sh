# The packages: installed into fresh roots, run there on a recording that is made there, and removed;
# and two builds of a commit compared.
#
# Both builds are of clones of this checkout, in different folders; neither has uncommitted changes.
# HINDSIGHT_PACKAGES names a folder with packages made earlier: then nothing is built, and nothing
# compared.

make_packages() { # CLONE DIST
  rm -rf "$work/$1"
  git clone -q --no-hardlinks "$source" "$work/$1" &&
    find "$work/$1" -type f -exec touch -d "${3:-now}" {} + &&
    HINDSIGHT_BUILD_DIR=$work/$1/build "$work/$1/package" "$work/$2"
}

# The second in another folder, with another umask, older files, and without a compiler cache; the first with
# one, if installed, that is set to share between folders.
build_twice() {
  (
    command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
    make_packages "first" dist
  ) && (umask 077 && export CCACHE_DISABLE=1 && make_packages "second/and/deeper" dist-again 2001-02-03)
}

same_bytes() {
  diff -r "$work/dist" "$work/dist-again" && (cd "$work/dist" && sha256sum -c --quiet SHA256SUMS)
}

nothing_missing() {
  local name arm64=() windows=() files=12
  if [ -z "$(arm64_lacks)" ]; then
    files=$((files + 8))
    arm64=("hindsight-$version-linux-arm64.tar.gz" "hindsight-$version-linux-arm64-debug.tar.gz"
      "hindsight_${version}_arm64.deb" "hindsight-$version-1.aarch64.rpm" THIRD-PARTY-arm64.txt
      hindsight-arm64.spdx.json "Hindsight.Tool.linux-arm64.$version.nupkg"
      "Hindsight.Trigger.Tool.linux-arm64.$version.nupkg")
  fi
  if [ -z "$(windows_lacks)" ]; then
    files=$((files + 6))
    windows=("hindsight-$version-windows-x64.zip" "hindsight-$version-windows-x64-debug.zip" THIRD-PARTY-windows.txt
      hindsight-windows.spdx.json "Hindsight.Tool.win-x64.$version.nupkg" "Hindsight.Trigger.Tool.win-x64.$version.nupkg")
  fi
  for name in "${arm64[@]}" "${windows[@]}" Containerfile "hindsight-$version-linux-x64.tar.gz" "hindsight-$version-linux-x64-debug.tar.gz" \
    "hindsight_${version}_amd64.deb" "hindsight-$version-1.x86_64.rpm" THIRD-PARTY.txt hindsight.spdx.json \
    "Hindsight.Tool.$version.nupkg" "Hindsight.Tool.linux-x64.$version.nupkg" \
    "Hindsight.Trigger.Tool.$version.nupkg" "Hindsight.Trigger.Tool.linux-x64.$version.nupkg" SHA256SUMS; do
    [ -s "$dist/$name" ] || { echo "$name is missing"; return 1; }
  done
  equal files $files "$(find "$dist" -type f | wc -l)"
}

# Its parts have the versions of this machine's packages, one version each; those that were built from Debian's
# sources, of these.
sbom_is_valid() { # SUFFIX
  local name part
  node -e '
    const sbom = JSON.parse(require("fs").readFileSync(process.argv[1]));
    const ids = new Set(sbom.packages.map(p => p.SPDXID).concat("SPDXRef-DOCUMENT"));
    if (sbom.spdxVersion !== "SPDX-2.3" || sbom.packages.length < 8 || ids.size !== sbom.packages.length + 1 ||
        sbom.packages.some(p => !p.name || !p.versionInfo) ||
        sbom.relationships.some(r => !ids.has(r.spdxElementId) || !ids.has(r.relatedSpdxElement))) process.exit(1);
    for (const part of sbom.packages.slice(1)) {
      const [, name, version, source] =
        /^pkg:deb\/debian\/([^@]+)@([^?]+)(\?arch=source)?$/.exec(part.externalRefs[0].referenceLocator);
      if (decodeURIComponent(version) !== part.versionInfo) process.exit(1);
      console.log((source ? "src:" : "") + decodeURIComponent(name), part.versionInfo);
    }
  ' "$dist/hindsight$1.spdx.json" >"$work/parts" || return 1
  while read -r name part; do
    versions_of "$name" | grep -qxF "$part" || { echo "$name: not '$part'"; return 1; }
    grep -qF " $part, in " "$dist/THIRD-PARTY$1.txt" || { echo "$name is not in the notices"; return 1; }
  done <"$work/parts"
  grep -q 'Redistribution' "$dist/THIRD-PARTY$1.txt"
}

versions_of() { # PACKAGE
  case $1 in
    src:*) dpkg-parsechangelog -l "$(windows_cache)/sources/${1#src:}"-[0-9]*/debian/changelog -S Version ;;
    *) dpkg-query -W -f '${Version}\n' "$1" ;;
  esac
}

# A copy of a root, with what the checks of recordings need.
fresh_root() { # SUITE
  root=$work/installed
  umount -l "$root/h/samples" "$root/usr/share/dotnet" "$root/proc" "$root/dev" 2>/dev/null
  rm -rf "$root"
  debian_root "$1" && cp -a "$work/$1" "$root" && rm -rf "$root/h" && mkdir -p "$root/h/samples" "$root/usr/share/dotnet" &&
    mount --bind "$build/samples" "$root/h/samples" && mount --bind /proc "$root/proc" && mount --bind /dev "$root/dev" &&
    mount --bind "$(dirname "$(readlink -f "$(command -v dotnet)")")" "$root/usr/share/dotnet"
}

# with_installed BIN LIBRARY: records a sample with what is installed, the library found by the trigger, and
# reads the recording.
with_installed() {
  h=$1
  begin
  unrecorded
  net=10 dotnet=/usr/share/dotnet/dotnet samples=/h/samples
  hindsight --version | grep "^hindsight $version ([0-9a-f]\{12\}\( with changes\)\?)$" || return 1
  trigger --version | grep "^hindsight-trigger $version ([0-9a-f]\{12\}\( with changes\)\?)$" || return 1
  sample ExceptionStorm
  trigger launch --output "$inner/out" -- "${command[@]}" || return 1
  intact || return 1
  hindsight summary "$(recording)" && hindsight exceptions "$(recording)" | grep -q Exception || return 1
  [ "$(sql 'SELECT sum(count) FROM exceptions')" -gt 50 ]
}

# The files of a package and nothing else, man pages and completion included.
files_are_there() { # PREFIX
  local file
  for file in bin/hindsight bin/hindsight-trigger lib/libhindsight.so share/man/man1/hindsight.1 \
    share/man/man1/hindsight-trigger-attach.1 share/bash-completion/completions/hindsight \
    share/zsh/site-functions/_hindsight-trigger share/fish/vendor_completions.d/hindsight.fish \
    share/doc/hindsight/THIRD-PARTY.txt share/doc/hindsight/hindsight.spdx.json share/doc/hindsight/README.md; do
    [ -s "$1/$file" ] || { echo "$1/$file is missing"; return 1; }
  done
  ! readelf -W -S "$1/bin/hindsight" "$1/lib/libhindsight.so" | grep debug_info
}

# completes PREFIX: the shells of this machine find the scripts where the package has put them, and complete with
# them. (fish ignores those of a program that is not there.)
completes() {
  local share=$1/share line
  mkdir -p "$work/home"
  for line in "hindsight exc=exceptions" "hindsight-trigger att=attach"; do
    equal "fish, ${line%=*}" "${line#*=}" "$(env -i PATH="$1/bin:$PATH" HOME="$work/home" XDG_DATA_DIRS="$share" \
      fish -c "complete -C '${line%=*}'" | cut -f 1)" || return 1
    equal "zsh, ${line%=*}" "${line%% *} ${line#*=} " "$(zsh_completes "$share/zsh/site-functions" "${line%=*}")" || return 1
  done
}

# In a terminal of its own, where Tab is pressed: what it then has is the completed line.
zsh_completes() { # FOLDER LINE
  env -i PATH="$PATH" HOME="$work/home" timeout 60 zsh -fc '
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
    zpty -w shell "bindkey ^I complete-word; accept() { print -r -- \"g\"\"ot:\$BUFFER:\"; exit 0 }"
    zpty -w shell "zle -N accept; bindkey ^X accept"
    zpty -n -w shell "$2"$'"'"'\t\x18'"'"'
    local line
    while zpty -r shell line; do
      if [[ $line == *got:* ]]; then print -r -- ${${line#*got:}%%:*}; fi
    done' zsh "$1" "$2"
}

left_over() { find "$root" -xdev \( -path "$root/tmp" -o -path "$root/var" \) -prune -o -name '*hindsight*' -print; }

deb_in() { # SUITE
  fresh_root "$1" || return 1
  cp "$dist/hindsight_${version}_amd64.deb" "$root/package.deb"
  inside dpkg -i /package.deb || return 1
  files_are_there "$root/usr" && inside dpkg --verify hindsight && with_installed /usr/bin || return 1
  inside dpkg --purge hindsight || return 1
  equal "left over" "" "$(left_over)"
}

rpm_in() { # SUITE
  fresh_root "$1" || return 1
  (cd "$root" && rpm2cpio "$dist/hindsight-$version-1.x86_64.rpm" | cpio -idm --quiet) || return 1
  files_are_there "$root/usr" && with_installed /usr/bin || return 1
  # Its own list of its files.
  rpm --nosignature -qpl "$dist/hindsight-$version-1.x86_64.rpm" | sort >"$scratch/listed"
  grep -qx /usr/lib/libhindsight.so "$scratch/listed" || return 1
  equal requires "" "$(rpm --nosignature -qpR "$dist/hindsight-$version-1.x86_64.rpm" | grep -v ^rpmlib)" || return 1
  (cd "$root" && sort -r "$scratch/listed" | while read -r file; do
    if [ -d ".$file" ] && [ ! -L ".$file" ]; then rmdir ".$file" 2>/dev/null; else rm -f ".$file"; fi
  done)
  equal "left over" "" "$(left_over)"
}

# rpm itself, with a database in the root.
rpm_by_rpm() { # SUITE
  fresh_root "$1" || return 1
  rpm --root "$root" --nosignature --nodeps -i "$dist/hindsight-$version-1.x86_64.rpm" || return 1
  files_are_there "$root/usr" && rpm --root "$root" -V hindsight && with_installed /usr/bin || return 1
  rpm --root "$root" --nodeps -e hindsight || return 1
  equal "left over" "" "$(left_over)"
}

tgz_in() { # SUITE
  fresh_root "$1" || return 1
  tar -C "$root/h" -xzf "$dist/hindsight-$version-linux-x64.tar.gz" || return 1
  files_are_there "$root/h/hindsight-$version-linux-x64" && completes "$root/h/hindsight-$version-linux-x64" || return 1
  with_installed "/h/hindsight-$version-linux-x64/bin"
}

# The analyzer in a root that contains nothing else.
empty_root() {
  root=$work/empty
  rm -rf "$root"
  mkdir -p "$root/tmp"
  tar -C "$root" -xzf "$dist/hindsight-$version-linux-x64.tar.gz" --strip-components=1 || return 1
  cp -r "$work/installed/tmp/t/out" "$root/out" || return 1
  chroot "$root" /bin/hindsight summary "/out/$(ls "$root/out")"
}

# What is packed for arm64 is of arm64, and reads a recording of x64 as the analyzer of x64 does.
arm64_packages() {
  local report name=hindsight-$version-linux-arm64 folder file
  root=$work/arm64-installed
  rm -rf "$root"
  mkdir -p "$root"/{deb,rpm,tgz,nuget} || return 1
  equal "DEB's architecture" arm64 "$(dpkg-deb -f "$dist/hindsight_${version}_arm64.deb" Architecture)" &&
    equal "RPM's architecture" aarch64 "$(rpm --nosignature -qp --qf '%{ARCH}' "$dist/hindsight-$version-1.aarch64.rpm")" || return 1
  dpkg-deb -x "$dist/hindsight_${version}_arm64.deb" "$root/deb" &&
    (cd "$root/rpm" && rpm2cpio "$dist/hindsight-$version-1.aarch64.rpm" | cpio -idm --quiet) &&
    tar -C "$root/tgz" -xzf "$dist/$name.tar.gz" &&
    (cd "$root/nuget" && cmake -E tar xf "$dist/Hindsight.Tool.linux-arm64.$version.nupkg" &&
      cmake -E tar xf "$dist/Hindsight.Trigger.Tool.linux-arm64.$version.nupkg") || return 1
  for folder in "$root/deb/usr" "$root/rpm/usr" "$root/tgz/$name"; do
    files_are_there "$folder" && diff -r "$root/deb/usr" "$folder" || return 1
  done
  for file in bin/hindsight bin/hindsight-trigger lib/libhindsight.so; do
    equal "machine of $file" AArch64 "$(readelf -h "$root/deb/usr/$file" | sed -n 's/.*Machine: *//p')" &&
      cmp "$root/deb/usr/$file" "$root/nuget/tools/any/linux-arm64/${file##*/}" || return 1
  done
  qemu-aarch64-static "$root/deb/usr/bin/hindsight-trigger" --version || return 1
  diff <("$work/empty/bin/hindsight" --version) <(qemu-aarch64-static "$root/deb/usr/bin/hindsight" --version) || return 1
  for report in summary exceptions "exceptions --json"; do
    # shellcheck disable=SC2086
    "$work/empty/bin/hindsight" $report "$work"/empty/out/*.hindsight >"$root/x64.txt" && [ -s "$root/x64.txt" ] &&
      qemu-aarch64-static "$root/deb/usr/bin/hindsight" $report "$work"/empty/out/*.hindsight | diff "$root/x64.txt" - || return 1
  done
}

# As `dotnet tool` installs it from a folder of packages.
nuget_tools_install() {
  root=$work/nuget
  rm -rf "$root"
  mkdir -p "$root/packages" "$root/tools"
  local run=(env "HOME=$root" "NUGET_PACKAGES=$root/packages" DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 dotnet)
  (
    cd "$root" || exit 1
    cat >nuget.config <<XML
<configuration><packageSources><clear /><add key="dist" value="$dist" /></packageSources></configuration>
XML
    "${run[@]}" tool install --tool-path tools Hindsight.Tool --version "$version" &&
      "${run[@]}" tool install --tool-path tools Hindsight.Trigger.Tool --version "$version" || exit 1
    tools/hindsight --version | grep "^hindsight $version (" || exit 1
    tools/hindsight-trigger launch --output out -- dotnet "$build/samples/ExceptionStorm-net10.0/ExceptionStorm.dll" || exit 1
    tools/hindsight summary out/*.hindsight | grep ExceptionStorm || exit 1
    "${run[@]}" tool uninstall --tool-path tools Hindsight.Tool &&
      "${run[@]}" tool uninstall --tool-path tools Hindsight.Trigger.Tool
  ) || return 1
  equal "left over" "" "$(find "$root/tools" -type f)"
}

check_packages() {
  version=$(sed -n 's/^project(hindsight VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
  dist=${HINDSIGHT_PACKAGES:-$work/dist}
  if [ -z "${HINDSIGHT_PACKAGES:-}" ]; then
    check "packages: made twice, in different places" build_twice
    check "packages: the same bytes" same_bytes
  fi
  check "packages: nothing missing" nothing_missing
  check "packages: SBOM and notices" sbom_is_valid ""
  [ -n "$(arm64_lacks)" ] || check "packages: SBOM and notices for arm64" sbom_is_valid -arm64
  if [ -z "$(windows_lacks)" ]; then check_windows_packages; else skip "packages: those for Windows" "$(windows_lacks)"; fi
  local suite
  for suite in bullseye bookworm; do
    check "packages: DEB installed, run and removed, Debian $suite" deb_in $suite
    check "packages: RPM unpacked by rpm2cpio, run and removed, Debian $suite" rpm_in $suite
    check "packages: TGZ unpacked and run, Debian $suite" tgz_in $suite
  done
  check "packages: RPM installed by rpm, run and removed" rpm_by_rpm bookworm
  check "packages: the analyzer in an empty root" empty_root
  if [ -z "$(arm64_lacks)" ]; then
    check "packages: those for arm64 hold it, and its analyzer reads as that of x64" arm64_packages
  else
    skip "packages: those for arm64" "$(arm64_lacks)"
  fi
  check "packages: .NET tools installed, run and removed" nuget_tools_install
}
