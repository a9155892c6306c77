// Functions that each call the next one; the last calls `inside`.
#pragma once

extern "C" {
long frameless_1(void (*inside)(), long x);
long frameless_2(void (*inside)(), long x);
long frameless_3(void (*inside)(), long x);
long frameless_4(void (*inside)(), long x);
long frameless_realigned(void (*inside)(), long x);
}
