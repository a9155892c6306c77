// Code without frame pointers for the walk to go through: five calls deep.
#include "signal_walker_code.h"

#define LINK(name, next)                                                     \
  extern "C" __attribute__((noinline)) long name(void (*inside)(), long x) { \
    volatile long locals[3] = {x, x + 1, x + 2};                             \
    const long result = next;                                                \
    return result + locals[1];                                               \
  }

LINK(frameless_1, (inside(), x))
LINK(frameless_2, frameless_1(inside, x + 1))
LINK(frameless_3, frameless_2(inside, x + 1))
LINK(frameless_4, frameless_3(inside, x + 1))

// A stack that must be realigned for what is on it.
extern "C" __attribute__((noinline)) long frameless_realigned(void (*inside)(), long x) {
  alignas(64) volatile char block[128] = {};
  return frameless_4(inside, x) + block[5];
}
