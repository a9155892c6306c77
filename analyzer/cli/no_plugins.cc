// For static programs: libraries that look for plug-ins (SQLite's extensions) find none. libc's own
// functions would load the system's libc into a program that contains its own.
#include <dlfcn.h>

extern "C" {

void* dlopen(const char*, int) noexcept { return nullptr; }
void* dlsym(void*, const char*) noexcept { return nullptr; }
int dlclose(void*) noexcept { return -1; }
char* dlerror() noexcept {
  static char text[] = "a static program loads no libraries";
  return text;
}

}  // extern "C"
