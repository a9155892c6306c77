# What ./package makes for Windows: a ZIP, and for it what notices.sh has to know.

# zip_archive FOLDER NAME FILE: NAME, a folder of FOLDER, or . for all in it, as a ZIP; the same bytes each time.
zip_archive() {
  local folder=$1 name=$2 file=$3
  find "$folder/$name" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  # Times in a zip are of the local zone.
  (cd "$folder" && find "$name" -type f -printf '%p\n' | sed 's,^\./,,' | LC_ALL=C sort >"$scratch/files" &&
    TZ=UTC cmake -E tar cf "$file" --format=zip --files-from="$scratch/files")
}

# source_of PACKAGE: the folder of the sources of src:NAME.
source_of() { find "$(windows_cache)/sources" -maxdepth 1 -type d -name "${1#src:}-[0-9]*"; }

# Reads files, one a line, and prints of those in the folder of libraries the Debian package that they are of: the
# source package that was built there, or the one of this machine whose headers were copied.
windows_packages() {
  local libraries file own
  libraries=$(realpath "$(windows_cache)/x64")
  while read -r file; do
    own=${file#"$libraries/"}
    case $own in
      lib/libprotobuf.a | include/google/*) echo src:protobuf ;;
      lib/libzstd.a | include/zstd*.h | include/zdict.h) echo src:libzstd ;;
      lib/libz.a | include/zlib.h | include/zconf.h) echo src:zlib ;;
      lib/libsqlite3.a | include/sqlite3.h) echo src:sqlite3 ;;
      include/*)
        cmp -s "$file" "/usr/$own" || {
          echo "$file is not this machine's: remove $(windows_cache)/headers.made, and run tests/windows/setup libraries" >&2
          echo "$own"
          continue
        }
        dpkg-query -S "/usr/$own" | sed 's/:.*//'
        ;;
      *) echo "$own" ;;
    esac
  done
}
