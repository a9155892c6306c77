// The session's replies on the control socket.
#include <algorithm>

#include "recorder/session.h"

namespace hindsight::recorder {

const char* Session::NameOf(State state) {
  switch (state) {
    case State::kArming:
      return "arming";
    case State::kRecording:
      return "recording";
    case State::kDraining:
      return "draining";
    case State::kDetaching:
      return "detaching";
    case State::kClosed:
      break;
  }
  return "closed";
}

contract::Reply Session::OnStatus() {
  contract::Reply reply;
  const uint64_t elapsed_ns = MonotonicNs() - started_ns_;
  reply.Add("state", NameOf(state_));
  reply.Add("mode", mode_ == Mode::kStartup ? "startup" : "attach");
  reply.Add("output", recording_.path());
  reply.Add("options", contract::FormatOptions(options_));
  reply.Add("elapsed_ns", elapsed_ns);
  if (options_.duration_ns != 0) {
    reply.Add("remaining_ns", std::max(options_.duration_ns, elapsed_ns) - elapsed_ns);
  }
  AddCounters(reply);
  std::string error = recording_.last_error();
  if (error.empty()) {
    const std::lock_guard lock(mutex_);
    error = failure_;
  }
  if (!error.empty()) reply.Add("last_error", error);
  if (!options_.rules.empty()) {
    reply.Add("rules_fired", rules_fired_ + recording_.marked_unhandled());
  }
  reply.Add("version", contract::kVersion);
  return reply;
}

contract::Reply Session::OnStop() {
  contract::Reply reply;
  if (state_ == State::kDetaching) {
    reply.ok = false;
    reply.error = "The recorder is already detaching; wait until its socket is gone.";
    return reply;
  }
  StopRecording(EndReason::kStopped);
  if (!WaitUntilDrained(kStopWaitNs)) {
    reply.ok = false;
    reply.error = "The recording could not be closed within 30 s: is its disk hanging?";
    return reply;
  }
  stopped_ = true;
  control_bell_.Ring();
  reply.Add("output", recording_.path());
  AddCounters(reply);
  return reply;
}

contract::Reply Session::OnSnapshot() {
  contract::Reply reply;
  const bool ready = state_ == State::kRecording && (mode_ == Mode::kStartup || attached_);
  const bool joins = !options_.Has(contract::Source::kHeap) && !heap_.joined();
  if (ready && joins && !JoinHeap(&reply.error)) {
    reply.ok = false;
    return reply;
  }
  const uint32_t number = ready ? heap_.Request() : 0;
  if (number == 0) {
    reply.ok = false;
    reply.error = "A snapshot is already in progress, or the recording is ending; try again later.";
    return reply;
  }
  reply.Add("snapshot", number);
  return reply;
}

contract::Reply Session::OnSnapshotStatus() {
  static constexpr const char* kMethods[] = {"", "fork", "fork at a collection that came by itself",
                                             "walk in the pause", "the runtime's callbacks"};
  const SnapshotStatus status = heap_.Status();
  contract::Reply reply;
  reply.Add("snapshot", status.number);
  reply.Add("state", status.running ? "running" : status.complete ? "complete" : "incomplete");
  if (status.running) reply.Add("phase", status.phase);
  if (!status.path.empty()) reply.Add("path", status.path);
  if (!status.reason.empty()) reply.Add("reason", status.reason);
  reply.Add("method", kMethods[static_cast<size_t>(status.method)]);
  reply.Add("objects", status.objects);
  reply.Add("object_bytes", status.object_bytes);
  reply.Add("pause_ns", status.pause_ns);
  reply.Add("pauses", status.pauses);
  reply.Add("all_pauses_ns", status.all_pauses_ns);
  reply.Add("wall_ns", status.wall_ns);
  reply.Add("file_bytes", status.file_bytes);
  return reply;
}

contract::Reply Session::OnSnapshotThreads() {
  contract::Reply reply;
  ThreadSnapshots::Taken taken;
  if (!options_.Has(contract::Source::kWaits)) {
    reply.ok = false;
    reply.error =
        "This recording has no thread snapshots; they need the source waits, which is on by "
        "default.";
  } else if (state_ != State::kRecording) {
    reply.ok = false;
    reply.error = "The recording is ending.";
  } else {
    reply.ok = signals_.snapshots.Request(&taken, &reply.error);
  }
  if (!reply.ok) return reply;
  reply.Add("snapshot", taken.number);
  reply.Add("threads", taken.threads);
  reply.Add("stopping_ns", taken.stopping_ns);
  reply.Add("pause_ns", taken.pause_ns);
  reply.Add("output", recording_.path());
  return reply;
}

void Session::AddCounters(contract::Reply& reply) {
  const RecordingStats stats = recording_.Stats();
  reply.Add("events", stats.events);
  reply.Add("lost", stats.lost);
  reply.Add("written_bytes", stats.written_bytes);
  reply.Add("memory_bytes", stats.memory_bytes);
  reply.Add("callback_ns", stats.callback_ns);
  reply.Add("application_cpu_ns", stats.callback_cpu_ns + stats.cpu_handler_cpu_ns);
  reply.Add("thread_cpu_ns", stats.thread_cpu_ns);
  reply.Add("waited_ns", stats.callback_ns - stats.callback_cpu_ns + stats.cpu_handler_ns -
                             stats.cpu_handler_cpu_ns + stats.paused_ns);
  reply.Add("cpu_samples", stats.cpu_samples);
  if (SurvivorTracker::Wanted(options_)) {
    reply.Add("survivor_handles", signals_.survivors.handles());
    reply.Add("survivors_missed", signals_.survivors.missed());
  }
}

}  // namespace hindsight::recorder
