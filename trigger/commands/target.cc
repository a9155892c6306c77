#include "trigger/commands/target.h"

#include <cstdio>
#include <thread>
#include <vector>

#include "recorder/contract/application.h"
#include "recorder/contract/text.h"
#include "trigger/preflight/preflight.h"
#include "trigger/stream.h"
#include "trigger/target/diagnostic_socket.h"

namespace hindsight::trigger {
namespace {

constexpr std::chrono::milliseconds kInterval(100);

// The name from the command line alone, because this is called for all processes.
bool IsCalled(int pid, const std::string& name) {
  return contract::ApplicationName(ArgumentsOf(pid)) == name;
}

// The processes of that name that run .NET. Distinguishes a name that only other processes have
// from one that no process has.
Expected<Process> FindByName(const std::string& name) {
  std::vector<Process> found;
  int other = 0;
  for (const int pid : AllProcesses()) {
    if (pid == OwnPid() || !IsCalled(pid, name)) continue;
    Expected<Process> process = InspectProcess(pid);
    if (!process || process->ended()) continue;
    // A process that we may not inspect is included: its owner's trigger knows more.
    const bool is_dotnet = !process->runtime_path.empty() || FindDiagnosticSocket(*process).ok();
    if (is_dotnet || !process->hidden.empty()) {
      found.push_back(*std::move(process));
    } else {
      other = pid;
    }
  }
  if (found.size() == 1) return std::move(found.front());
  const std::string quoted = contract::Quote(name);
  if (found.empty() && other != 0) {
    return Failure{
        TriggerExit::kNotDotnet,
        "Process " + std::to_string(other) + " is called " + quoted + ", but does not run .NET.",
        "hindsight-trigger list shows the processes that do."};
  }
  if (found.empty()) {
    return Failure{TriggerExit::kNoSuchProcess, "No .NET process is called " + quoted + " here.",
                   "See hindsight-trigger list; the name is that of the program, or of the "
                   "assembly after `dotnet`, without .dll."};
  }
  std::string all;
  for (const Process& process : found) {
    all += (all.empty() ? " " : "; ") + std::to_string(process.pid) + " (" +
           contract::Printable(process.CommandLine(), 100) + ')';
  }
  return Failure{TriggerExit::kSeveralProcesses,
                 std::to_string(found.size()) + " processes are called " + quoted + ':' + all + '.',
                 "Give the pid of one of them."};
}

Expected<Process> Look(const Target& target) {
  Expected<Process> process =
      target.name.empty() ? InspectProcess(target.pid) : FindByName(target.name);
  if (!process) return process;
  if (Check wrong = CheckProcess(*process)) return *wrong;
  return process;
}

// Failures that go away with time.
bool IsEarly(const Failure& failure) {
  switch (failure.code) {
    case TriggerExit::kNoSuchProcess:
    case TriggerExit::kNotDotnet:
    case TriggerExit::kNoDiagnosticSocket:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Target::AddTo(cli::Command& command, bool waits) {
  command.Argument("PID", pid, "The process").Offers(cli::Offer::kProcess).Required(false);
  command.Value("--name", "APP", name,
                "The process by its application's name: Shop for `dotnet Shop.dll`");
  if (!waits) return;
  command.Flag("--wait", wait, "Wait until the process and its runtime are running");
  constexpr uint64_t kLeastNs = 50'000'000, kMostNs = 1'000'000'000'000'000;
  command
      .Duration(
          "--wait-timeout", "How long to wait for it", kLeastNs, kMostNs,
          [this](uint64_t ns) { wait_timeout_s = static_cast<double>(ns) / 1e9; }, "no limit")
      .Needs("--wait");
}

Expected<Process> Target::Find() const {
  if ((pid == 0) == name.empty()) {
    return Failure{
        TriggerExit::kUsage,
        name.empty() ? "Expected a PID or --name." : "Expected either a PID or --name, not both.",
        "hindsight-trigger list shows the processes."};
  }
  if (!wait) return Look(*this);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(wait_timeout_s));
  bool reported = false;
  while (true) {
    Expected<Process> process = Look(*this);
    if (process) {
      const Expected<DiagnosticSocket> socket = FindDiagnosticSocket(*process);
      if (socket || !IsEarly(socket.failure())) return process;
      process = socket.failure();
    }
    if (!IsEarly(process.failure())) return process;
    if (wait_timeout_s != 0 && Clock::now() >= deadline) return process;
    if (!reported) {
      const std::string who = name.empty() ? "process " + std::to_string(pid) : name;
      std::fprintf(stderr, "Waiting for %s.\n", contract::Printable(who).c_str());
      reported = true;
    }
    std::this_thread::sleep_for(kInterval);
  }
}

}  // namespace hindsight::trigger
