# notices BUILD FOLDER VERSION COMMIT EPOCH ARCHITECTURE: what the packages say of their parts, into FOLDER:
# THIRD-PARTY.txt with the licences of what is linked in, and an SBOM (SPDX 2.3, JSON).
#
# The parts are those of packaging/third_party.txt, with versions and texts of Debian's packages. That
# none is missing, and none too many, is looked up in what the build has read: every header, and every
# archive of a link.

# Debian packages that the build has read something of.
packages_read() {
  local build=$1
  {
    ninja -C "$build" -t deps | awk '/^[^ ]/ {ours = /^(analyzer|trigger|recorder|proto)\//} ours && /^    \/usr\// {print $1}' |
      sort -u
    ninja -C "$build" -t commands analyzer/hindsight trigger/hindsight-trigger recorder/libhindsight.so |
      tr ' ' '\n' | grep -E '^/.*\.a$'
    for archive in libstdc++.a libgcc.a libgcc_eh.a libc.a; do "$(compiler)" -print-file-name=$archive; done
  } | xargs -n 64 realpath -e 2>/dev/null | grep '^/usr/' | sort -u |
    xargs -n 256 dpkg-query -S 2>/dev/null | sed 's/: .*//; s/:.*//; s/,.*//; s/-arm64-cross$//' | sort -u
}

# Both read $architecture, which notices sets.
compiler() { if [ "$architecture" = arm64 ]; then echo aarch64-linux-gnu-g++; else echo g++; fi; }
# The cross compiler has libraries of its own; of the others there is one version for all processors.
package_here() {
  if [ "$architecture" = arm64 ] && dpkg-query -W "$1-arm64-cross" >/dev/null 2>&1; then echo "$1-arm64-cross"; else echo "$1"; fi
}

# Where libraries for both processors are installed, dpkg-query names both; what is headers alone may be
# there for one of them, or for all.
version_of() { # PACKAGE
  local own=amd64
  [ "$architecture" = arm64 ] && own=arm64
  dpkg-query -W -f '${Architecture} ${Version}\n' "$1" |
    awk -v own=$own '{version[$1] = any = $2} END {print own in version ? version[own] : any}'
}
encoded() { printf '%s' "$1" | sed 's/:/%3A/g; s/+/%2B/g; s/ /%20/g'; }

parts() { grep -v '^#' "$root/packaging/third_party.txt"; }
field() { printf '%s' "$1" | cut -d'|' -f"$2" | sed 's/^ *//; s/ *$//'; }

notices() {
  local build=$1 folder=$2 version=$3 commit=$4 epoch=$5 architecture=$6 package line text read
  # Of these come headers alone, of the kernel and of libc, and the compiler's own.
  local others='^(linux-libc-dev|libgcc-[0-9]+-dev|libcrypt-dev|libnsl-dev|libtirpc-dev|rpcsvc-proto)$'
  read=$(packages_read "$build")
  for package in $read; do
    [[ $package =~ $others ]] && continue
    parts | cut -d'|' -f3 | tr -d ' ' | grep -qxF "$package" || {
      echo "The build takes something from $package, which packaging/third_party.txt does not have." >&2
      return 1
    }
  done
  for package in $(parts | cut -d'|' -f3); do
    grep -qxF "$package" <<<"$read" || {
      echo "packaging/third_party.txt has $package, of which the build takes nothing." >&2
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
      text=/usr/share/doc/$package/copyright
      [ -s "$text" ] || { echo "$text is missing" >&2; return 1; }
      cat "$text"
    done < <(parts)
  } >"$folder/THIRD-PARTY.txt" || return 1
  sbom "$version" "$commit" "$epoch" >"$folder/hindsight.spdx.json"
}

# The SBOM names the same parts for the same commit, so its namespace is of the commit.
sbom() {
  local version=$1 commit=$2 epoch=$3 line number=0 related="" package
  cat <<JSON
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "hindsight-$version-linux-$architecture",
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
        "referenceLocator": "pkg:deb/debian/$(encoded "$package")@$(encoded "$(version_of "$package")")"
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
