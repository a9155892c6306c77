# The libraries of `hindsight` and its tests for Windows, as static ones, in $libraries. Their sources are
# those of the Debian release that runs here: protoc is this machine's, and must have the same version.

target=x86_64-w64-mingw32
compiler=$target-gcc-posix

# A number in a name makes it anew where it was made before, because it is now built differently.
#
# For hindsight.dll and hindsight-trigger.exe: a minute. The analyzer also needs the others.
make_recorder_libraries() {
  made headers headers && made zstd-source fetch_sources libzstd && made zstd build_zstd
}
make_libraries() {
  make_recorder_libraries && made analyzer-sources fetch_sources zlib sqlite3 protobuf && made zlib build_zlib &&
    made sqlite build_sqlite && made googletest build_googletest && made protobuf-2 build_protobuf &&
    touch "$cache/libraries.made"
}

# Header-only libraries, with the files by which CMake finds them.
headers() {
  local folder
  mkdir -p "$libraries"/{include,lib/cmake,share/cmake} || return 1
  cp -r /usr/include/CLI /usr/include/nlohmann /usr/include/toml++ "$libraries/include/" || return 1
  for folder in /usr/share/cmake/CLI11 /usr/share/cmake/nlohmann_json; do
    cp -r "$folder" "$libraries/share/cmake/" || return 1
  done
  folder=$(dirname "$(find /usr/lib /usr/share -name tomlplusplusConfig.cmake | head -n 1)") &&
    cp -r "$folder" "$libraries/lib/cmake/"
}

# fetch_sources NAME...: does not touch apt's own folders: they may list no sources, and this need not be root.
fetch_sources() {
  local folder=$cache/sources name
  mkdir -p "$folder"/{lists/partial,apt.d} && cd "$folder" || return 1
  . /etc/os-release
  printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
    "$mirror" "$VERSION_CODENAME" >apt.d/debian.sources
  local apt="apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$folder/apt.d
    -o Dir::State::Lists=$folder/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="
  for name in "$@"; do
    rm -rf "./$name"-[0-9]*/
  done
  $apt update && $apt source "$@"
}

# source_folder NAME
source_folder() {
  find "$cache/sources" -maxdepth 1 -type d -name "$1-[0-9]*"
}

build_zlib() {
  cd "$(source_folder zlib)" || return 1
  local file objects=""
  for file in adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil; do
    $compiler -O2 -c $file.c -o $file.windows.o || return 1
    objects+=" $file.windows.o"
  done
  # shellcheck disable=SC2086
  $target-ar rcs "$libraries/lib/libz.a" $objects && cp zlib.h zconf.h "$libraries/include/"
}

build_zstd() {
  cd "$(source_folder libzstd)/lib" || return 1
  make -j "$(nproc)" libzstd.a-nomt CC=$compiler AR=$target-ar TARGET_SYSTEM=Windows BUILD_DIR="$cache/sources/zstd-windows" &&
    cp libzstd.a "$libraries/lib/" && cp zstd.h zstd_errors.h zdict.h "$libraries/include/"
}

# Its sources have to be merged into one file first. No extensions: they are third-party libraries.
build_sqlite() {
  cd "$(source_folder sqlite3)" || return 1
  ./configure --disable-tcl --disable-readline >/dev/null && make sqlite3.c sqlite3.h &&
    $compiler -O2 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_COLUMN_METADATA -c sqlite3.c -o sqlite3.windows.o &&
    $target-ar rcs "$libraries/lib/libsqlite3.a" sqlite3.windows.o && cp sqlite3.h "$libraries/include/"
}

# by_cmake SOURCE BUILD OPTIONS...: builds and installs it. Packages contain messages with names of source files,
# which must not tell where it was built.
by_cmake() {
  local source=$1 build=$cache/sources/$2
  shift 2
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$libraries" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$compiler \
    -DCMAKE_CXX_COMPILER=$target-g++-posix -DCMAKE_FIND_ROOT_PATH="$libraries" -DBUILD_SHARED_LIBS=OFF \
    "-DCMAKE_CXX_FLAGS=-ffile-prefix-map=$cache/sources=." "$@" &&
    cmake --build "$build" -j "$(nproc)" && cmake --install "$build" >/dev/null
}

build_googletest() {
  by_cmake /usr/src/googletest googletest-windows -DBUILD_GMOCK=OFF
}

build_protobuf() {
  by_cmake "$(source_folder protobuf)" protobuf-windows -Dprotobuf_BUILD_TESTS=OFF \
    -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF -DCMAKE_CXX_STANDARD=17
}
