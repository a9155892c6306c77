// Evaluates the rules of a session (contract/rules.h). Control thread, once a second.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "recorder/session.h"

namespace hindsight::recorder {
namespace {

// The second number of /proc/self/statm, in pages. 0: unknown.
uint64_t ResidentBytes() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  char* resident = text;
  strtoull(text, &resident, 10);  // the first one: address space
  return strtoull(resident, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void Session::ApplyRules() {
  if (options_.rules.empty() || state_ != State::kRecording) return;
  const RecordingStats stats = recording_.Stats();
  const RuleFacts facts{.now_ns = MonotonicNs(),
                        .memory_bytes = ResidentBytes(),
                        .heap_bytes = stats.heap_bytes,
                        .cpu_ns = ProcessCpuNs(),
                        .throws = stats.throws,
                        .starvations = stats.starvations};
  for (const RuleWatch::Fired& fired : rules_.Look(facts)) {
    std::string text = "Rule " + fired.rule->text + " fired: " + fired.what + '.';
    if (const std::string done = Execute(*fired.rule); !done.empty()) text += ' ' + done;
    if (fired.is_last) text += " It has now fired rules.most times, and will not fire again.";
    ++rules_fired_;
    recording_.NoteRule(fired.rule->text, std::move(text));
  }
}

std::string Session::Execute(const contract::Rule& rule) {
  switch (rule.action) {
    case contract::RuleAction::kMark:
      break;
    case contract::RuleAction::kThreads: {
      ThreadSnapshots::Taken taken;
      std::string why;
      if (!snapshots_.Request(&taken, &why)) return "No thread snapshot: " + why;
      return "Took thread snapshot " + std::to_string(taken.number) + '.';
    }
    case contract::RuleAction::kSnapshot: {
      const contract::Reply reply = OnSnapshot();
      if (!reply.ok) return "No heap snapshot: " + reply.error;
      return "Started heap snapshot " + std::string(reply.Find("snapshot")) + '.';
    }
  }
  return {};
}

}  // namespace hindsight::recorder
