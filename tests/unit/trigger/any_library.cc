#include <unistd.h>

// Uses the C library, so that the file names it.
extern "C" int AnyLibraryAnswer() { return getpid(); }
