#include "tests/live/harness/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace hindsight::live {
namespace {

constexpr std::chrono::milliseconds kPollInterval{5}, kLongestPause{1000};

bool IsRemoved(std::string_view entry) {
  return entry.starts_with("CORECLR_") || entry.starts_with("HINDSIGHT_") ||
         entry.starts_with("TMPDIR=");
}

std::vector<std::string> Environment(const Command& command) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    bool overridden = IsRemoved(text);
    for (const auto& [key, value] : command.environment) overridden |= key == name;
    if (!overridden) result.emplace_back(text);
  }
  for (const auto& [key, value] : command.environment) {
    if (!value.empty()) result.push_back(key + "=" + value);
  }
  return result;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void Redirect(const char* file, int flags, int target) {
  const int descriptor = open(file, flags | O_CLOEXEC, 0600);
  if (descriptor < 0 || dup2(descriptor, target) < 0) _exit(126);
}

}  // namespace

std::string Ended::Describe() const {
  std::ostringstream text;
  if (signal != 0) {
    text << "ended by signal " << signal;
  } else {
    text << "exit code " << exit_code;
  }
  text << "\n-- stdout:\n" << output << "\n-- stderr:\n" << errors;
  return text.str();
}

Process::Process(const Command& command, const std::filesystem::path& folder) {
  static std::atomic<int> number = 0;
  const std::string name = "process-" + std::to_string(++number);
  output_ = folder / (name + ".stdout");
  errors_ = folder / (name + ".stderr");

  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = Environment(command);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);
  const bool keeps_cores = std::getenv("HINDSIGHT_CORES") != nullptr;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    const rlimit no_core{0, 0};
    if (!keeps_cores) setrlimit(RLIMIT_CORE, &no_core);
    Redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    Redirect(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    Redirect(errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (command.before_exec) command.before_exec();
    execvpe(argv[0], argv.data(), envp.data());
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  setpgid(pid_, pid_);
}

Process::~Process() {
  if (!status_) kill(-pid_, SIGKILL);
  if (!status_) Reap(/*block=*/true);
  kill(-pid_, SIGKILL);  // children that it left behind
}

bool Process::Reap(bool block) {
  int status = 0;
  const pid_t reaped = waitpid(pid_, &status, block ? 0 : WNOHANG);
  if (reaped == pid_) status_ = status;
  return status_.has_value();
}

bool Process::IsRunning() { return !status_ && !Reap(/*block=*/false); }

void Process::Signal(int signal) const { kill(pid_, signal); }

std::optional<Ended> Process::Wait(std::chrono::milliseconds deadline) {
  if (!WaitUntil([this] { return !IsRunning(); }, deadline)) return std::nullopt;
  Ended ended;
  if (WIFEXITED(*status_)) {
    ended.exit_code = WEXITSTATUS(*status_);
  } else {
    ended.signal = WTERMSIG(*status_);
  }
  ended.output = Output();
  ended.errors = Errors();
  return ended;
}

std::string Process::Output() const { return ReadFile(output_); }
std::string Process::Errors() const { return ReadFile(errors_); }

bool Process::WaitForOutput(std::string_view text) {
  const auto has_text = [&] { return Output().find(text) != std::string::npos; };
  WaitUntil([&] { return has_text() || !IsRunning(); });
  return has_text();
}

Ended RunToEnd(const Command& command, std::chrono::milliseconds deadline) {
  const Workspace folder;
  Process process(command, folder.path());
  if (std::optional<Ended> ended = process.Wait(deadline)) return *ended;
  process.Signal(SIGKILL);
  Ended ended = process.Wait().value();
  ended.errors += "\n(killed by the test: it still ran at the deadline)";
  return ended;
}

bool WaitUntil(const std::function<bool()>& condition, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (true) {
    const auto asked = std::chrono::steady_clock::now();
    if (condition()) return true;
    const auto answered = std::chrono::steady_clock::now();
    if (answered > end) return false;
    // Expensive conditions are checked less often: the processes that are waited for need the CPU.
    std::this_thread::sleep_for(
        std::clamp<std::chrono::nanoseconds>(4 * (answered - asked), kPollInterval, kLongestPause));
  }
}

std::string ReadFile(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void WriteFile(const std::filesystem::path& file, std::string_view content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
}

Workspace::Workspace() {
  char name[] = "/tmp/hs-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

Workspace::~Workspace() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hindsight::live
