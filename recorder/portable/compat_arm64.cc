// What only arm64 needs in addition to compat.cc.
#include <sys/auxv.h>

// libgcc queries the processor's atomic instructions through a function that only glibc has under
// this name.
extern "C" unsigned long __getauxval(unsigned long type) { return getauxval(type); }
