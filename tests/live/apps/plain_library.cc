// A shared library that is not a profiler.
extern "C" int PlainAnswer() { return 42; }
