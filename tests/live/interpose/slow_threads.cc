// Preloaded into an application: a thread of the recorder is delayed for two seconds before it gets
// its name, like one that gets no CPU time.
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <cstring>

extern "C" int pthread_setname_np(pthread_t thread, const char* name) {
  constexpr timespec kPause = {2, 0};
  if (std::strncmp(name, "hindsight-", 10) == 0) nanosleep(&kPause, nullptr);
  using SetName = int (*)(pthread_t, const char*);
  static const auto real = reinterpret_cast<SetName>(dlsym(RTLD_NEXT, "pthread_setname_np"));
  return real(thread, name);
}
