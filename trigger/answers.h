// What the commands print with --json: each answer is described once, and `hindsight-trigger
// schema` describes it from the same list of fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/contract/catalogue.h"
#include "recorder/contract/control.h"
#include "trigger/result.h"

namespace hindsight::trigger {

// The answer of the recorder in a process. Numbers become JSON numbers; keys that are not described
// are left out.
struct Answered {
  int pid = 0;
  const contract::Reply* reply = nullptr;  // null: the profiler is not Hindsight's own
};
std::string StatusJson(const Answered& answered);
std::string StopJson(const Answered& answered);

struct SnapshotAnswer {
  Answered answered;
  bool is_complete = false;
};
std::string SnapshotJson(const SnapshotAnswer& answer);

// A copy of a recording, in this folder.
struct CopiedRecording {
  std::string path;
  uint64_t files = 0, bytes = 0;
};
struct KeepAnswer {
  int pid = 0;
  CopiedRecording copy;
  uint64_t snapshots = 0;
};
std::string KeepJson(const KeepAnswer& answer);
struct PullAnswer {
  int pid = 0;
  std::vector<CopiedRecording> recordings;
};
std::string PullJson(const PullAnswer& answer);

struct ListedProcess {
  int pid = 0;
  std::string user;
  std::string runtime;   // empty: unknown
  std::string recorded;  // "no" or the recorder's state; empty: unknown
  std::string command;
  std::string note;  // why something is not known
};
std::string ListJson(std::span<const ListedProcess> processes);

std::string SourcesJson(std::span<const contract::SourceInfo> sources);
std::string ExitCodesJson();

std::string FailureJson(const Failure& failure);

// The commands that print JSON.
std::vector<std::string> DescribedCommands();
std::string AnswerSchema(std::string_view command);

}  // namespace hindsight::trigger
