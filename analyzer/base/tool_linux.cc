#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "analyzer/base/text.h"
#include "analyzer/base/tool.h"

namespace hindsight::analyzer {
namespace {

constexpr int kInterrupts[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_interrupt = 0;  // the signal that came
volatile std::sig_atomic_t g_tool = 0;       // the pid of the tool that runs
struct sigaction g_before[std::size(kInterrupts)];

void NoteInterrupt(int signal) {
  const int error = errno;
  g_interrupt = signal;
  if (g_tool > 0) kill(g_tool, signal);
  errno = error;
}

bool CanRun(const std::string& file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(file.c_str(), X_OK) == 0;
}

// In the child. Tells the error through `failure`, which is closed where the program starts.
[[noreturn]] void Become(const std::vector<char*>& arguments, const std::string& folder,
                         int failure) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
      chdir(folder.c_str()) == 0) {
    execv(arguments.front(), arguments.data());
  }
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(1);
}

Error CannotRun(const std::string& program, int error) {
  return Error{"Cannot run " + Printable(program) + ": " + std::strerror(error) + "."};
}

}  // namespace

std::optional<std::string> FindTool(const std::string& name) {
  const char* const list = std::getenv("PATH");
  std::string rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string file = rest.substr(0, end) + "/" + name;
    // What is not absolute would be another program in another folder.
    if (file.front() == '/' && end != 0 && CanRun(file)) return file;
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  return std::nullopt;
}

Result<int> RunTool(const std::vector<std::string>& command, const std::string& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return CannotRun(command.front(), errno);
  const pid_t child = fork();
  if (child == 0) Become(arguments, folder, failure[1]);
  const int fork_error = errno;
  g_tool = child;
  if (child > 0 && g_interrupt != 0) kill(child, g_interrupt);  // it came just before
  close(failure[1]);
  int error = child < 0 ? fork_error : 0;
  if (child > 0) {
    ssize_t got;
    do {
      got = read(failure[0], &error, sizeof error);
    } while (got < 0 && errno == EINTR);
  }
  close(failure[0]);
  int status = 0;
  if (child > 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  }
  g_tool = 0;
  if (error != 0) return CannotRun(command.front(), error);
  if (WIFSIGNALED(status)) {
    return Error{Printable(command.front()) + " was ended by signal " +
                 std::to_string(WTERMSIG(status)) + "."};
  }
  return WEXITSTATUS(status);
}

Interruption::Interruption() {
  g_interrupt = 0;
  struct sigaction action = {};
  action.sa_handler = &NoteInterrupt;
  for (size_t i = 0; i < std::size(kInterrupts); ++i) {
    sigaction(kInterrupts[i], nullptr, &g_before[i]);
    // What is ignored, as nohup wants it, stays so.
    if (g_before[i].sa_handler == SIG_DFL) sigaction(kInterrupts[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (size_t i = 0; i < std::size(kInterrupts); ++i) {
    sigaction(kInterrupts[i], &g_before[i], nullptr);
  }
}

bool Interruption::HasCome() { return g_interrupt != 0; }

}  // namespace hindsight::analyzer
