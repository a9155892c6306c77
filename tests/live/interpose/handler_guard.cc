// Preloaded into an application: ends it when the recorder's signal handler calls anything that
// allocates or locks.
//
// The handler of CPU samples is wrapped when it is installed, so that a thread-local flag shows
// that it runs. The functions below check the flag and then call libc's. At the end of the process,
// the number of handlers seen is appended to the file that HANDLER_GUARD_REPORT names.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace {

using Handler = void (*)(int, siginfo_t*, void*);

__attribute__((tls_model("initial-exec"))) thread_local bool t_in_handler = false;
std::atomic<Handler> g_handler{nullptr};
std::atomic<uint64_t> g_runs{0};

constexpr int kForbiddenExit = 97;

void Check(const char* function) {
  if (!t_in_handler) return;
  constexpr char kText[] = "handler_guard: the signal handler called ";
  (void)!write(STDERR_FILENO, kText, sizeof(kText) - 1);
  (void)!write(STDERR_FILENO, function, std::strlen(function));
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(kForbiddenExit);
}

void Run(int signal, siginfo_t* info, void* context) {
  t_in_handler = true;
  g_handler.load()(signal, info, context);
  t_in_handler = false;
  g_runs.fetch_add(1, std::memory_order_relaxed);
}

bool IsRecorders(const struct sigaction* action) {
  Dl_info place;
  return (action->sa_flags & SA_SIGINFO) != 0 &&
         dladdr(reinterpret_cast<void*>(action->sa_sigaction), &place) != 0 &&
         std::strstr(place.dli_fname, "libhindsight") != nullptr;
}

template <typename Function>
Function Next(const char* name, const char* version = nullptr) {
  void* found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function>(found);
}

// libc's function of this name, looked up once.
#define NEXT(name, ...) \
  static const auto next = Next<decltype(&name)>(#name __VA_OPT__(, ) __VA_ARGS__)

__attribute__((destructor)) void Report() {
  const char* file = getenv("HANDLER_GUARD_REPORT");
  if (file == nullptr) return;
  char text[24];
  char* end = std::to_chars(text, text + sizeof(text) - 1, g_runs.load()).ptr;
  *end++ = '\n';
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  (void)!write(fd, text, static_cast<size_t>(end - text));
  close(fd);
}

}  // namespace

extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  NEXT(sigaction);
  struct sigaction wrapped;
  if (action != nullptr && IsRecorders(action)) {
    wrapped = *action;
    g_handler = action->sa_sigaction;
    wrapped.sa_sigaction = Run;
    action = &wrapped;
  }
  const int result = next(signal, action, before);
  if (result == 0 && before != nullptr && before->sa_sigaction == Run) {
    before->sa_sigaction = g_handler;
  }
  return result;
}

void* malloc(size_t size) {
  Check("malloc");
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  Check("calloc");
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  Check("realloc");
  return __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) {
  Check("memalign");
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  Check("aligned_alloc");
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  Check("posix_memalign");
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : 12;  // ENOMEM
}
void free(void* memory) {
  Check("free");
  __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  Check("pthread_mutex_lock");
  NEXT(pthread_mutex_lock);
  return next(mutex);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  Check("pthread_mutex_unlock");
  NEXT(pthread_mutex_unlock);
  return next(mutex);
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Check("pthread_cond_wait");
  NEXT(pthread_cond_wait, "GLIBC_2.3.2");
  return next(condition, mutex);
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  Check("pthread_cond_signal");
  NEXT(pthread_cond_signal, "GLIBC_2.3.2");
  return next(condition);
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  Check("pthread_cond_broadcast");
  NEXT(pthread_cond_broadcast, "GLIBC_2.3.2");
  return next(condition);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  Check("pthread_rwlock_rdlock");
  NEXT(pthread_rwlock_rdlock);
  return next(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  Check("pthread_rwlock_wrlock");
  NEXT(pthread_rwlock_wrlock);
  return next(lock);
}

int dl_iterate_phdr(int (*callback)(dl_phdr_info*, size_t, void*), void* data) {
  Check("dl_iterate_phdr");
  using Iterate = int (*)(int (*)(dl_phdr_info*, size_t, void*), void*);
  static const auto next = Next<Iterate>("dl_iterate_phdr");
  return next(callback, data);
}

}  // extern "C"
