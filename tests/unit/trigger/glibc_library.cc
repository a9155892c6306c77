#include <unistd.h>

// A variable of the thread that has to have its place before the library is loaded.
extern "C" __attribute__((tls_model("initial-exec"))) thread_local int t_any_answer;
thread_local int t_any_answer = 0;

extern "C" int GlibcLibraryAnswer() { return t_any_answer += getpid(); }
