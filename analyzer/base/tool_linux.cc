#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "analyzer/base/text.h"
#include "analyzer/base/tool.h"

namespace hindsight::analyzer {
namespace {

constexpr int kInterrupts[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_interrupt = 0;  // the signal that arrived
volatile std::sig_atomic_t g_tool = 0;       // the pid of the running tool
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

// In the child. Reports an error through `failure`, which is closed when the program starts.
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

Error EndedBySignal(const std::string& program, int status) {
  return Error{Printable(program) + " was ended by signal " + std::to_string(WTERMSIG(status)) +
               "."};
}

int WaitForEnd(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

// Closed on destruction.
struct Pipe {
  Pipe() { is_open = pipe2(ends, O_CLOEXEC) == 0; }
  ~Pipe() {
    for (int& end : ends) Close(end);
  }
  static void Close(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  int ends[2] = {-1, -1};
  bool is_open = false;
};

// As exec requires; `command` must outlive them.
std::vector<char*> ArgumentsOf(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

// With the given stdout and stderr, no signal blocked, and its own process group. Returns errno, or
// 0.
int Spawn(const std::vector<std::string>& command, int out, int err, pid_t& child) {
  const std::vector<char*> arguments = ArgumentsOf(command);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error =
      posix_spawn(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

enum class ReadEnd { kAll, kTooLate, kTooMuch };

// Reads until the other side has closed both.
ReadEnd ReadBoth(Pipe& out, Pipe& err, std::chrono::seconds most_time, ToolAnswer& answer) {
  constexpr size_t kMostBytes = 4 << 20;
  const auto until = std::chrono::steady_clock::now() + most_time;
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return ReadEnd::kTooLate;
    pollfd waits[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    if (poll(waits, 2, static_cast<int>(left.count())) <= 0) continue;
    for (const int i : {0, 1}) {
      if (waits[i].revents == 0) continue;
      char bytes[4096];
      const ssize_t got = read(waits[i].fd, bytes, sizeof bytes);
      if (got > 0) (i == 0 ? answer.out : answer.err).append(bytes, static_cast<size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) Pipe::Close((i == 0 ? out : err).ends[0]);
    }
    if (answer.out.size() + answer.err.size() > kMostBytes) return ReadEnd::kTooMuch;
  }
  return ReadEnd::kAll;
}

}  // namespace

std::optional<std::string> FindSister(const std::string& name) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::string beside = (own.parent_path() / name).string();
    if (CanRun(beside)) return beside;
  }
  return FindTool(name);
}

std::optional<std::string> FindTool(const std::string& name) {
  const char* const list = std::getenv("PATH");
  std::string rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string file = rest.substr(0, end) + "/" + name;
    // A relative path would be a different program in another folder.
    if (file.front() == '/' && end != 0 && CanRun(file)) return file;
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  return std::nullopt;
}

Error MissingTool(const std::string& needs, const std::string& install,
                  const std::string& instead) {
  return Error{needs + ", and finds none on PATH. " + install + " Or, without it, " + instead};
}

Result<int> RunTool(const std::vector<std::string>& command, const std::string& folder) {
  const std::vector<char*> arguments = ArgumentsOf(command);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return CannotRun(command.front(), errno);
  const pid_t child = fork();
  if (child == 0) Become(arguments, folder, failure[1]);
  const int fork_error = errno;
  g_tool = child;
  if (child > 0 && g_interrupt != 0) kill(child, g_interrupt);  // it arrived just before
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
  if (child > 0) status = WaitForEnd(child);
  g_tool = 0;
  if (error != 0) return CannotRun(command.front(), error);
  if (WIFSIGNALED(status)) return EndedBySignal(command.front(), status);
  return WEXITSTATUS(status);
}

Result<ToolAnswer> AskTool(const std::vector<std::string>& command,
                           std::chrono::seconds most_time) {
  Pipe out, err;
  if (!out.is_open || !err.is_open) return CannotRun(command.front(), errno);
  pid_t child = 0;
  const int error = Spawn(command, out.ends[1], err.ends[1], child);
  if (error != 0) return CannotRun(command.front(), error);
  Pipe::Close(out.ends[1]);
  Pipe::Close(err.ends[1]);
  ToolAnswer answer;
  const ReadEnd end = ReadBoth(out, err, most_time, answer);
  if (end != ReadEnd::kAll) kill(-child, SIGKILL);
  const int status = WaitForEnd(child);
  if (end == ReadEnd::kTooLate) {
    return Error{Printable(command.front()) + " did not end within " +
                 std::to_string(most_time.count()) + " seconds, and was ended."};
  }
  if (end == ReadEnd::kTooMuch) {
    return Error{Printable(command.front()) + " wrote more than 4 MiB, and was ended."};
  }
  if (WIFSIGNALED(status)) return EndedBySignal(command.front(), status);
  answer.exit_code = WEXITSTATUS(status);
  return answer;
}

Interruption::Interruption() {
  g_interrupt = 0;
  struct sigaction action = {};
  action.sa_handler = &NoteInterrupt;
  for (size_t i = 0; i < std::size(kInterrupts); ++i) {
    sigaction(kInterrupts[i], nullptr, &g_before[i]);
    // Ignored signals, as with nohup, stay ignored.
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
