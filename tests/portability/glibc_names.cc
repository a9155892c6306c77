// What Debian's libstdc++ needs from glibc and an older one or musl does not have (for musl in
// addition to recorder/portable/compat.cc): for the root file systems in which the runtime is
// tested. Not used elsewhere.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

namespace {

struct AtExit {
  void (*run)(void*);
  void* object;
  AtExit* next;
};

pthread_key_t g_key;
pthread_once_t g_once = PTHREAD_ONCE_INIT;

void RunAll(void* list) {
  for (auto* entry = static_cast<AtExit*>(list); entry != nullptr;) {
    AtExit* const next = entry->next;
    entry->run(entry->object);
    free(entry);
    entry = next;
  }
}

}  // namespace

extern "C" {

// Destructors of a thread's variables.
int __cxa_thread_atexit_impl(void (*run)(void*), void* object, void*) {
  pthread_once(&g_once, [] { pthread_key_create(&g_key, RunAll); });
  auto* entry = static_cast<AtExit*>(malloc(sizeof(AtExit)));
  if (entry == nullptr) return -1;
  *entry = {run, object, static_cast<AtExit*>(pthread_getspecific(g_key))};
  return pthread_setspecific(g_key, entry);
}

#if !defined(HINDSIGHT_FOR_GLIBC)
size_t __strftime_l(char* text, size_t size, const char* format, const tm* time, locale_t locale) {
  return strftime_l(text, size, format, time, locale);
}

// libgcc_s has these under symbol versions that musl treats as hidden.
extern int __cpu_model[4];
int __cpu_model[4] = {};
int __cpu_indicator_init() { return 0; }
#endif

}  // extern "C"
