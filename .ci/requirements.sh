# What a build needs, for ./check and ./demo: sourced, POSIX sh with `local`.
#
# require PACKAGE...   makes sure that Debian's packages are installed: installs them when root, or
#                      says what to install and ends the script. Elsewhere than on Debian it asks
#                      for nothing: CMake then says what is missing.
# require_node         makes sure that there are node and npm, whoever packaged them.
# require_dotnet       makes sure that there is a .NET SDK that can build for .NET 10.

build_packages="cmake ninja-build g++ protobuf-compiler libprotobuf-dev libzstd-dev zlib1g-dev
  libcli11-dev nlohmann-json3-dev libsqlite3-dev libtomlplusplus-dev libboost-dev"
test_packages="libgtest-dev lld zstd sqlite3 binutils util-linux golang-go chromium zsh fish groff-base mandoc
  libxml2-utils postgresql"
package_packages="rpm git binutils"
portability_packages="debootstrap musl patchelf rpm2cpio cpio"
container_packages="podman runc catatonit"
# Besides, for Windows: the compiler, and what its libraries are built with.
windows_recorder_packages="g++-mingw-w64-x86-64-posix binutils-mingw-w64-x86-64 dpkg-dev make"
windows_packages="$windows_recorder_packages libgtest-dev tcl"
fuzz_packages="clang libclang-rt-14-dev clang-tidy"

# What a build for arm64 lacks here; nothing if it lacks nothing.
arm64_lacks() {
  local library
  command -v aarch64-linux-gnu-g++ >/dev/null || { echo "the cross compiler is missing (g++-aarch64-linux-gnu)"; return; }
  command -v qemu-aarch64-static >/dev/null || { echo "the emulator is missing (qemu-user-static)"; return; }
  for library in libzstd.a:libzstd libprotobuf.a:libprotobuf libz.a:zlib1g libsqlite3.a:libsqlite3; do
    [ -e "/usr/lib/aarch64-linux-gnu/${library%:*}" ] && continue
    echo "${library%:*} for arm64 is missing (dpkg --add-architecture arm64, ${library#*:}-dev:arm64)"
    return
  done
}

# Where tests/windows/setup keeps what it has made.
windows_cache() { echo "${HINDSIGHT_WINDOWS:-${XDG_CACHE_HOME:-$HOME/.cache}/hindsight/windows}"; }

# What a build for Windows on x64 lacks here.
windows_lacks() {
  command -v x86_64-w64-mingw32-g++-posix >/dev/null ||
    { echo "the cross compiler is missing; tests/windows/setup libraries installs it"; return; }
  [ -e "$(windows_cache)/libraries.made" ] ||
    echo "libraries for Windows are missing; tests/windows/setup libraries makes them"
}

require() {
  local missing="" package
  command -v dpkg-query >/dev/null || return 0
  for package in "$@"; do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q "install ok installed" ||
      missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "Missing packages. Install them and try again:" >&2
    echo "  sudo apt-get install -y$missing" >&2
    exit 1
  fi
  echo "installing$missing"
  # First the index: a new machine has none, and an old one names files that are gone. Where it cannot
  # be had, the one that is here may do.
  apt-get update -qq >/dev/null 2>&1 </dev/null || true
  # shellcheck disable=SC2086
  install_packages $missing || {
    echo "apt-get could not install$missing" >&2
    exit 1
  }
}

install_packages() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null </dev/null
}

require_node() {
  command -v node >/dev/null && command -v npm >/dev/null || require nodejs npm
}

require_dotnet() {
  if ! command -v dotnet >/dev/null || ! dotnet --list-sdks | grep -qE '^[1-9][0-9]+\.'; then
    echo "The .NET SDK 10 is missing: https://learn.microsoft.com/dotnet/core/install/linux" >&2
    exit 1
  fi
}

export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
