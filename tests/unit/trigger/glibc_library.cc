#include <unistd.h>

// A thread-local variable that needs its slot before the library is loaded.
extern "C" __attribute__((tls_model("initial-exec"))) thread_local int t_any_answer;
thread_local int t_any_answer = 0;

extern "C" int GlibcLibraryAnswer() { return t_any_answer += getpid(); }
