#include <unistd.h>

// Uses the C library, so that the file depends on it. Also has a writable segment of several pages.
extern "C" char g_any_pages[5 * 4096];
char g_any_pages[5 * 4096] = {1};

extern "C" int AnyLibraryAnswer() { return getpid(); }
