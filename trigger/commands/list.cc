#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "analyzer/cli/paths.h"
#include "recorder/contract/text.h"
#include "trigger/answers.h"
#include "trigger/commands/commands.h"
#include "trigger/control_client.h"
#include "trigger/ipc/client.h"
#include "trigger/preflight/preflight.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

constexpr std::chrono::milliseconds kListedTimeout(1000);

// ".../Microsoft.NETCore.App/10.0.12/libcoreclr.so" -> "10.0.12"; empty if there is no such folder.
std::string VersionFromPath(const std::string& path) {
  const std::string name = cli::PathOf(path).parent_path().filename().string();
  return !name.empty() && name[0] >= '0' && name[0] <= '9' ? name : std::string();
}

void AddNote(ListedProcess& row, const std::string& note) {
  if (!row.note.empty()) row.note += ' ';
  row.note += note;
}

// Empty: it does not run .NET, as far as we can see.
std::optional<ListedProcess> Look(int pid) {
  const Expected<Process> process = InspectProcess(pid);
  if (!process || process->ended()) return std::nullopt;
  const Expected<DiagnosticSocket> socket = FindDiagnosticSocket(*process);
  if (process->runtime_path.empty() && !socket) return std::nullopt;
  ListedProcess row;
  row.pid = pid;
  row.user = UserOf(*process);
  row.command = process->CommandLine();
  row.runtime = VersionFromPath(process->runtime_path);
  if (Check wrong = CheckProcess(*process)) {
    row.note = wrong->what;
    return row;
  }
  if (!socket) {
    AddNote(row, socket.failure().what);
  } else {
    const Expected<ipc::ProcessInfo> info =
        ipc::AskProcessInfo(*socket, *process, Clock::now() + kListedTimeout);
    if (!info) {
      AddNote(row, info.failure().what);
    } else if (!info->runtime_version.empty()) {
      // The commit after the plus sign is of no use to the user.
      row.runtime = info->runtime_version.substr(0, info->runtime_version.find('+'));
    }
  }
  const Expected<contract::Reply> status =
      AskRecorder(*process, {"status", ""}, Clock::now() + kListedTimeout);
  if (status) {
    row.recorded = status->Find("state");
  } else if (status.failure().code == TriggerExit::kNotRecorded) {
    row.recorded = "no";
  } else {
    AddNote(row, status.failure().what);
  }
  return row;
}

void Print(const std::vector<ListedProcess>& rows) {
  const auto or_unknown = [](const std::string& text) {
    return text.empty() ? std::string("?") : contract::Printable(text);
  };
  size_t user = 4;
  size_t runtime = 7;
  size_t recorded = 8;
  for (const ListedProcess& row : rows) {
    user = std::max(user, row.user.size());
    runtime = std::max(runtime, row.runtime.size());
    recorded = std::max(recorded, row.recorded.size());
  }
  const auto line = [&](const std::string& a, const std::string& b, const std::string& c,
                        const std::string& d, const std::string& e) {
    std::printf("%7s  %-*s  %-*s  %-*s  %s\n", a.c_str(), static_cast<int>(user), b.c_str(),
                static_cast<int>(runtime), c.c_str(), static_cast<int>(recorded), d.c_str(),
                e.c_str());
  };
  line("PID", "USER", "RUNTIME", "RECORDED", "COMMAND");
  for (const ListedProcess& row : rows) {
    line(std::to_string(row.pid), row.user, or_unknown(row.runtime), or_unknown(row.recorded),
         contract::Printable(row.command, 200));
    if (!row.note.empty()) std::printf("%9s%s\n", "", contract::Printable(row.note).c_str());
  }
}

TriggerExit Run(bool json) {
  std::vector<ListedProcess> rows;
  for (const int pid : AllProcesses()) {
    if (pid == OwnPid()) continue;
    if (std::optional<ListedProcess> row = Look(pid)) rows.push_back(*std::move(row));
  }
  if (json) {
    std::fputs(ListJson(rows).c_str(), stdout);
  } else if (rows.empty()) {
    std::printf("There is no .NET process visible to %s.\n", OwnUser().c_str());
  } else {
    Print(rows);
  }
  return TriggerExit::kOk;
}

}  // namespace

void DescribeList(cli::Command& command) {
  const auto json = std::make_shared<bool>(false);
  AddJson(command, *json);
  command.Example("hindsight-trigger list", "the processes that can be recorded");
  command.SeeAlso({"hindsight-trigger attach", "hindsight-trigger status"});
  command.Runs([json] { return Run(*json); });
}

}  // namespace hindsight::trigger
