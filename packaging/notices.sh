# notices BUILD FOLDER VERSION COMMIT EPOCH ARCHITECTURE: what the packages say of their parts, into FOLDER:
# THIRD-PARTY.txt with the licences of what is linked in, and an SBOM (SPDX 2.3, JSON). ARCHITECTURE: x64, arm64,
# windows-x64.
#
# The parts are those of packaging/third_party.txt (third_party_windows.txt), with versions and texts of Debian's
# packages. That none is missing, and none too many, is looked up in what the build has read: every header, and
# every archive of a link.

# Debian packages that the build has read something of.
packages_read() {
  local build=$1 folder=/usr files archive binaries="analyzer/hindsight trigger/hindsight-trigger recorder/libhindsight.so"
  local archives="libstdc++.a libgcc.a libgcc_eh.a libc.a"
  if [ "$architecture" = windows-x64 ]; then
    folder=$(realpath "$(windows_cache)/x64")
    binaries="analyzer/hindsight.exe trigger/hindsight-trigger.exe recorder/hindsight.dll"
    archives="libstdc++.a libgcc.a libgcc_eh.a libmingw32.a libwinpthread.a"
  fi
  # shellcheck disable=SC2086
  files=$({
    ninja -C "$build" -t deps | awk -v folder="$folder/" '/^[^ ]/ {ours = /^(analyzer|trigger|recorder|proto)\//}
      ours && (index($1, "/usr/") == 1 || index($1, folder) == 1) {print $1}' | sort -u
    ninja -C "$build" -t commands $binaries | tr ' ' '\n' | grep -E '^/.*\.a$'
    for archive in $archives; do "$(compiler)" -print-file-name=$archive; done
  } | xargs -n 64 realpath -e 2>/dev/null | sort -u)
  {
    grep '^/usr/' <<<"$files" | xargs -n 256 dpkg-query -S 2>/dev/null | sed 's/: .*//; s/:.*//; s/,.*//; s/-arm64-cross$//'
    [ "$architecture" != windows-x64 ] || grep -F "$folder/" <<<"$files" | windows_packages
  } | sort -u
}

# These read $architecture, which notices sets.
compiler() {
  case $architecture in
    arm64) echo aarch64-linux-gnu-g++ ;;
    windows-x64) echo x86_64-w64-mingw32-g++-posix ;;
    *) echo g++ ;;
  esac
}
# The cross compiler has libraries of its own; of the others there is one version for all processors.
package_here() {
  if [ "$architecture" = arm64 ] && dpkg-query -W "$1-arm64-cross" >/dev/null 2>&1; then echo "$1-arm64-cross"; else echo "$1"; fi
}

# Where libraries for both processors are installed, dpkg-query names both; what is headers alone may be
# there for one of them, or for all.
version_of() { # PACKAGE
  local own=amd64
  [[ $1 != src:* ]] || { dpkg-parsechangelog -l "$(source_of "$1")/debian/changelog" -S Version; return; }
  [ "$architecture" = arm64 ] && own=arm64
  dpkg-query -W -f '${Architecture} ${Version}\n' "$1" |
    awk -v own=$own '{version[$1] = any = $2} END {print own in version ? version[own] : any}'
}
encoded() { printf '%s' "$1" | sed 's/:/%3A/g; s/+/%2B/g; s/ /%20/g'; }

text_of() { # PACKAGE
  if [[ $1 == src:* ]]; then echo "$(source_of "$1")/debian/copyright"; else echo "/usr/share/doc/$1/copyright"; fi
}
purl_of() { # PACKAGE
  local name=${1#src:}
  printf 'pkg:deb/debian/%s@%s' "$(encoded "$name")" "$(encoded "$(version_of "$1")")"
  [ "$name" = "$1" ] || printf '?arch=source'
}

parts_file() { if [ "$architecture" = windows-x64 ]; then echo third_party_windows.txt; else echo third_party.txt; fi; }
parts() { grep -v '^#' "$root/packaging/$(parts_file)"; }
field() { printf '%s' "$1" | cut -d'|' -f"$2" | sed 's/^ *//; s/ *$//'; }

notices() {
  local build=$1 folder=$2 version=$3 commit=$4 epoch=$5 architecture=$6 package line text read
  # Of these come headers alone, of the kernel, of libc and of Windows, and the compiler's own.
  local others='^(linux-libc-dev|libgcc-[0-9]+-dev|libcrypt-dev|libnsl-dev|libtirpc-dev|rpcsvc-proto|mingw-w64-common)$'
  read=$(packages_read "$build")
  for package in $read; do
    [[ $package =~ $others ]] && continue
    parts | cut -d'|' -f3 | tr -d ' ' | grep -qxF "$package" || {
      echo "The build takes something from $package, which packaging/$(parts_file) does not have." >&2
      return 1
    }
  done
  for package in $(parts | cut -d'|' -f3); do
    grep -qxF "$package" <<<"$read" || {
      echo "packaging/$(parts_file) has $package, of which the build takes nothing." >&2
      return 1
    }
  done
  rm -rf "$folder"
  mkdir -p "$folder"
  {
    echo "Hindsight is linked with what follows. Versions and texts are those of the Debian packages"
    echo "that it was built with."
    while IFS= read -r line; do
      package=$(package_here "$(field "$line" 3)")
      printf '\n%s\n' "================================================================================"
      printf '%s %s, in %s\n%s\n\n' "$(field "$line" 1)" \
        "$(version_of "$package")" "$(field "$line" 4)" "$(field "$line" 2)"
      text=$(text_of "$package")
      [ -s "$text" ] || { echo "$text is missing" >&2; return 1; }
      cat "$text"
    done < <(parts)
  } >"$folder/THIRD-PARTY.txt" || return 1
  sbom "$version" "$commit" "$epoch" >"$folder/hindsight.spdx.json"
}

# The SBOM names the same parts for the same commit, so its namespace is of the commit.
sbom() {
  local version=$1 commit=$2 epoch=$3 line number=0 related="" package system=linux-$architecture
  [ "$architecture" != windows-x64 ] || system=$architecture
  cat <<JSON
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "hindsight-$version-$system",
  "documentNamespace": "https://hindsight.invalid/spdx/$version/$(encoded "$commit")/$architecture",
  "creationInfo": {
    "created": "$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)",
    "creators": ["Tool: hindsight-package"]
  },
  "packages": [
    {
      "SPDXID": "SPDXRef-hindsight",
      "name": "hindsight",
      "versionInfo": "$version",
      "sourceInfo": "commit $commit",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "licenseConcluded": "NOASSERTION",
      "licenseDeclared": "NOASSERTION",
      "copyrightText": "NOASSERTION"
    }
JSON
  while IFS= read -r line; do
    number=$((number + 1))
    package=$(package_here "$(field "$line" 3)")
    cat <<JSON
    ,{
      "SPDXID": "SPDXRef-part-$number",
      "name": "$(field "$line" 1)",
      "versionInfo": "$(version_of "$package")",
      "comment": "in $(field "$line" 4)",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "licenseConcluded": "NOASSERTION",
      "licenseDeclared": "$(field "$line" 2)",
      "copyrightText": "NOASSERTION",
      "externalRefs": [{
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": "$(purl_of "$package")"
      }]
    }
JSON
    related+=",
    {\"spdxElementId\": \"SPDXRef-hindsight\", \"relationshipType\": \"STATIC_LINK\", \"relatedSpdxElement\": \"SPDXRef-part-$number\"}"
  done < <(parts)
  cat <<JSON
  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-hindsight"}$related
  ]
}
JSON
}
