// A shared library that is no profiler.
extern "C" int PlainAnswer() { return 42; }
