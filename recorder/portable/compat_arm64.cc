// What only arm64 needs besides compat.cc.
#include <sys/auxv.h>

// GCC's library asks for the processor's atomic instructions by the name that only glibc has.
extern "C" unsigned long __getauxval(unsigned long type) { return getauxval(type); }
