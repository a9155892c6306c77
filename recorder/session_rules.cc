// Evaluates the rules of a session (contract/rules.h). Control thread, once a second.
#include "recorder/base/process_facts.h"
#include "recorder/session.h"

namespace hindsight::recorder {

void Session::ApplyRules() {
  if (options_.rules.empty() || state_ != State::kRecording) return;
  const RecordingStats stats = recording_.Stats();
  const RuleFacts facts{.now_ns = MonotonicNs(),
                        .memory_bytes = ReadMemoryUse().resident_bytes,
                        .memory_limit_bytes = recording_.process().facts.MemoryLimit(),
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
      if (!signals_.snapshots.Request(&taken, &why)) return "No thread snapshot: " + why;
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
