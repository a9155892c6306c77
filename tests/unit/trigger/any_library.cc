#include <unistd.h>

// Uses the C library, so that the file names it.
// And has a segment of several pages that can be written.
extern "C" char g_any_pages[5 * 4096];
char g_any_pages[5 * 4096] = {1};

extern "C" int AnyLibraryAnswer() { return getpid(); }
