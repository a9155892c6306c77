// Functions that the recorder uses and that glibc 2.17 or musl lack, implemented with what both
// have. Linked only into libhindsight.so, and hidden there: the application's own calls are
// unaffected.
//
// Every function has its documented contract, errno and signal safety, unless noted otherwise.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace {

// Up to `size` bytes, like one call of getrandom. Kernels before 3.17 have no such call.
ssize_t SomeRandom(void* buffer, size_t size, unsigned flags) {
  const long got = syscall(SYS_getrandom, buffer, size, flags);
  if (got >= 0 || errno != ENOSYS) return got;
  const int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (device < 0) return -1;
  const ssize_t read_bytes = read(device, buffer, size);
  const int error = errno;
  close(device);
  errno = error;
  return read_bytes;
}

bool FillRandom(void* buffer, size_t size) {
  auto* next = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = SomeRandom(next, size, 0);
    if (got > 0) {
      next += got;
      size -= static_cast<size_t>(got);
    } else if (got == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" {

// glibc 2.30.
pid_t gettid() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

// glibc 2.25.
ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  return SomeRandom(buffer, size, flags);
}
int getentropy(void* buffer, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return FillRandom(buffer, size) ? 0 : -1;
}

// glibc 2.36. It cannot fail, so a system without randomness ends the process; std::random_device
// calls it, and we never create one.
uint32_t arc4random() noexcept {
  uint32_t value = 0;
  if (!FillRandom(&value, sizeof value)) abort();
  return value;
}

// glibc 2.33; earlier, the functions in the headers had other names. The libcs use the kernel's
// structure.
int stat(const char* path, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}
int lstat(const char* path, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}
int fstat(int file, struct stat* status) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, status));
}
int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, status, flags));
}

// glibc 2.38 renames it for current C++, because of binary literals, which nothing here reads.
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) noexcept {
  return strtoull(text, end, base);
}

// musl has macros instead.
cpu_set_t* __sched_cpualloc(size_t count) noexcept {
  return static_cast<cpu_set_t*>(calloc(1, CPU_ALLOC_SIZE(count)));
}
void __sched_cpufree(cpu_set_t* set) noexcept { free(set); }

// Not in musl. libstdc++ uses its presence to detect threads.
int __pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) noexcept {
  return pthread_key_create(key, destroy);
}

// glibc 2.32. false: reference counts are always atomic.
extern char __libc_single_threaded;
char __libc_single_threaded = false;

#if defined(DLFO_STRUCT_HAS_EH_DBASE)
// glibc 2.35: where libgcc looks up the unwind table of an address. When libstdc++ throws (no
// memory), the search for a handler ends the process, as it would with glibc's own function.
int _dl_find_object(void* place, struct dl_find_object* result) noexcept {
  struct Search {
    uintptr_t place;
    struct dl_find_object* result;
  } search = {reinterpret_cast<uintptr_t>(place), result};
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    const ElfW(Phdr)* table = nullptr;
    bool covers = false;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (size_t i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      const uintptr_t end = begin + segment.p_memsz;
      if (segment.p_type == PT_GNU_EH_FRAME) table = &segment;
      if (segment.p_type != PT_LOAD) continue;
      if (search.place >= begin && search.place < end) covers = true;
      if (begin < low) low = begin;
      if (end > high) high = end;
    }
    if (!covers || table == nullptr) return 0;
    *search.result = {};
    search.result->dlfo_map_start = reinterpret_cast<void*>(low);
    search.result->dlfo_map_end = reinterpret_cast<void*>(high);
    search.result->dlfo_eh_frame = reinterpret_cast<void*>(info->dlpi_addr + table->p_vaddr);
    return 1;
  };
  return dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
#endif

}  // extern "C"
