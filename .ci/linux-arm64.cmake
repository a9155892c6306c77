# Builds for arm64 on another Linux, with Debian's cross compiler: g++-aarch64-linux-gnu, and from
# arm64 itself libzstd-dev (dpkg --add-architecture arm64). With qemu-user-static, what is built runs here.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Headers are the host's: those of the libraries that are used are the same for all processors.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_IGNORE_PATH /usr/lib/x86_64-linux-gnu)
find_program(HINDSIGHT_QEMU_ARM64 NAMES qemu-aarch64-static qemu-aarch64)
if(HINDSIGHT_QEMU_ARM64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${HINDSIGHT_QEMU_ARM64} -L /usr/aarch64-linux-gnu)
endif()
