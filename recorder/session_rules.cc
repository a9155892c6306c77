// Evaluates the rules of a session (contract/rules.h), on the control thread once a second; the
// rule about the process's end on the drain thread, when that comes.
#include <algorithm>
#include <utility>

#include "recorder/base/process_facts.h"
#include "recorder/base/thread_hold.h"
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

void Session::PrepareSnapshotOfEnd() {
  const auto wants = [](const contract::Rule& rule) {
    return rule.subject == contract::RuleSubject::kUnhandled &&
           rule.action == contract::RuleAction::kSnapshot;
  };
  const bool ready = state_ == State::kRecording && heap_.ready();
  if (!ready || end_prepared_ || std::ranges::none_of(options_.rules, wants)) return;
  end_prepared_ = true;
  std::string why;
  if (!options_.Has(contract::Source::kHeap) && !heap_.joined() && !JoinHeap(&why)) {
    recording_.Note("There will be no heap snapshot of the process's end: " + why);
    return;
  }
  heap_.OnEnd([this] { drain_waker_.Wake(); });
  ThreadHold::Instance().UseSignal(CpuSampler::Signal());
  end_snapshots_ = true;
}

std::string Session::TakeSnapshotOfEnd(uint32_t os_id) {
  if (!end_snapshots_) return "No heap snapshot: the recorder was not ready for one.";
  if (BeginSnapshotOfEnd(os_id)) {
    return "Started heap snapshot " + std::to_string(end_snapshot_) + '.';
  }
  end_follows_ = end_snapshot_ != 0;  // the one in progress may be that of a false alarm
  return end_follows_ ? "A heap snapshot follows the one in progress."
                      : "No heap snapshot: one is in progress, or the recording is ending.";
}

bool Session::BeginSnapshotOfEnd(uint32_t os_id) {
  // A hanging disk must not prevent the restart of a process that is ending anyway.
  constexpr uint64_t kMaxHoldNs = 30'000'000'000;
  const uint32_t number = heap_.Request(/*hurries=*/true);
  if (number != 0) {
    end_snapshot_ = number;
    end_follows_ = false;
  }
  if (end_snapshot_ == 0) return false;
  end_thread_ = os_id;
  ThreadHold::Instance().UseSignal(CpuSampler::KeptSignal());
  ThreadHold::Instance().Begin(os_id,
                               MonotonicNs() + std::min(options_.heap.timeout_ns, kMaxHoldNs));
  return number != 0;
}

bool Session::SnapshotOfEndIsOver() {
  if (end_snapshot_ == 0) return false;
  const SnapshotStatus status = heap_.Status();
  const bool is_it = status.number == end_snapshot_;
  if (is_it && status.running) {
    ThreadHold::Instance().Renew();
    return false;
  }
  if (is_it && !status.complete) {
    recording_.Note("Heap snapshot " + std::to_string(status.number) +
                    " of the process's end is not complete: " + status.reason);
  }
  end_snapshot_ = 0;
  recording_.WriteAtOnce();
  return !std::exchange(end_follows_, false) || !BeginSnapshotOfEnd(end_thread_);
}

}  // namespace hindsight::recorder
