// The session's control thread: it serves the socket, keeps it reachable, watches the duration and
// the rules, and detaches.
#include <time.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "recorder/output/system.h"
#include "recorder/session.h"

namespace hindsight::recorder {
namespace {

// How long the failure of a recording that could not be opened can be queried.
constexpr uint64_t kFailureVisibleNs = 5'000'000'000;

// How often the control thread checks whether its socket still exists.
constexpr uint64_t kLookNs = 2'000'000'000;
// And how often it evaluates its rules, if there are any.
constexpr uint64_t kRulesLookNs = 1'000'000'000;
// How long it retries to recreate a socket that has disappeared.
constexpr uint64_t kUnreachableNs = 30'000'000'000;

}  // namespace

void Session::RunControl() {
  OpenServer();
  ServeUntilStopped();
  ServeUntilDrained();
  if (!exiting_) {
    Detach();
    while (!detached_ && !exiting_) ServeOnce(0);
    // Triggers know the default folder.
    server_.LeavePath(options_.output.empty() ? std::string() : recording_.path());
  }
  server_.Close();
  const std::lock_guard lock(mutex_);
  control_ended_ = true;
  changed_.notify_all();
}

void Session::OpenServer() {
  // The previous session may still be closing its socket.
  constexpr int kAttempts = 50;
  const timespec pause{0, 20'000'000};
  const auto pid = static_cast<uint32_t>(getpid());
  std::string why;
  for (int attempt = 0; attempt < kAttempts && !exiting_; ++attempt) {
    if (server_.OpenUsual(tmp_, pid, &why)) return;
    nanosleep(&pause, nullptr);
  }
  if (!exiting_ && !server_.Open(tmp_, pid, &why)) EndUnreachable(why);
}

// A cleaner of temporary files may delete the socket, and a user may delete the whole folder.
void Session::KeepReachable() {
  if (exiting_ || stopped_ || server_.IsReachable()) {
    unreachable_since_ns_ = 0;
    return;
  }
  std::string why;
  if (server_.Open(tmp_, static_cast<uint32_t>(getpid()), &why)) return;
  const uint64_t now = MonotonicNs();
  if (unreachable_since_ns_ == 0) unreachable_since_ns_ = now;
  if (now - unreachable_since_ns_ >= kUnreachableNs) EndUnreachable(why);
}

// A recording that was started with the process is wanted even if it cannot be controlled, and ends
// with the process. An attached one would continue for good, although the attach was reported as
// failed.
void Session::EndUnreachable(const std::string& why) {
  if (unreachable_reported_) return;
  unreachable_reported_ = true;
  std::string text = "The recorder cannot be reached. " + why;
  text += mode_ == Mode::kStartup
              ? " The recording continues until the process ends, but cannot be controlled."
              : " The recording was therefore ended.";
  WriteToStderr("hindsight: " + text + '\n');
  Fail(text);
  recording_.Note(std::move(text));
  if (mode_ == Mode::kStartup) return;
  StopRecording(EndReason::kFailed);
  stopped_ = true;
}

void Session::ServeUntilStopped() {
  uint64_t end_ns = options_.duration_ns != 0 ? started_ns_ + options_.duration_ns : 0;
  if (state_ == State::kClosed) end_ns = started_ns_ + kFailureVisibleNs;
  while (!exiting_ && !stopped_) {
    if (ServeOnce(end_ns) != ControlServer::Event::kDeadline) continue;
    StopRecording(EndReason::kDurationOver);
    stopped_ = true;
  }
}

// However long the disk hangs: until the drain thread has ended, it calls the runtime and reads the
// rings, so the profiler must not be unloaded.
void Session::ServeUntilDrained() {
  while (!exiting_ && !WaitUntilDrained(0)) ServeOnce(MonotonicNs() + kLookNs);
}

ControlServer::Event Session::ServeOnce(uint64_t deadline_ns) {
  const uint64_t look_ns = MonotonicNs() + (options_.rules.empty() ? kLookNs : kRulesLookNs);
  const bool looks = deadline_ns == 0 || look_ns < deadline_ns;
  const ControlServer::Event event =
      server_.Serve(control_bell_.Keep(), looks ? look_ns : deadline_ns, *this);
  if (event == ControlServer::Event::kWoken) {
    control_bell_.Clear();
    if (user_changed_.exchange(false)) {  // a trigger looks in the new user's folder
      server_.Close();
      OpenServer();
    }
    if (end_notifications_.exchange(false)) EndNotifications();
    PrepareSnapshotOfEnd();
  }
  if (event == ControlServer::Event::kFailed) server_.Close();
  if (event == ControlServer::Event::kWoken || !looks) return event;
  KeepReachable();
  ApplyRules();
  return ControlServer::Event::kWoken;  // the deadline has not been reached
}

}  // namespace hindsight::recorder
