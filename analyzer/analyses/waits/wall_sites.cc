#include "analyzer/analyses/waits/wall_sites.h"

#include "analyzer/analyses/waits/lock_contention.h"

namespace hindsight::analyzer {
namespace {

using CallKind = BlockingCall::Kind;

WallState StateOf(const BlockingCall& call) {
  if (call.is_lock()) return WallState::kLock;
  switch (call.kind) {
    case CallKind::kNone:
      return WallState::kNative;
    case CallKind::kTask:
    case CallKind::kTasks:
      return WallState::kTask;
    case CallKind::kSleep:
      return WallState::kSleep;
    default:
      return WallState::kSignal;
  }
}

// An event of an unknown kind reports a wait all the same.
WallState StateOf(WaitKind kind) {
  BlockingCall call;
  call.kind = KindOf(kind);
  return kind == WaitKind::kUnknown ? WallState::kSignal : StateOf(call);
}

uint64_t KeyOf(StackId stack, uint32_t kind, bool may_be_end, bool is_in_kernel) {
  return uint64_t{stack} << 8 | kind << 2 | (may_be_end ? 2u : 0u) | (is_in_kernel ? 1u : 0u);
}

}  // namespace

std::string_view WallStateName(WallState state) {
  switch (state) {
    case WallState::kRunning:
      return "running";
    case WallState::kReady:
      return "ready";
    case WallState::kLock:
      return "lock";
    case WallState::kTask:
      return "task";
    case WallState::kSignal:
      return "signal";
    case WallState::kSleep:
      return "sleep";
    case WallState::kNative:
      return "native";
    case WallState::kPaused:
      return "paused";
    case WallState::kIdle:
      return "idle";
    case WallState::kUnknown:
      return "unknown";
  }
  return {};
}

const WallSite& WallSites::Of(ThreadIndex thread, const ThreadStatus& seen, bool lasts) {
  const bool may_be_end = lasts && model_.IsMainThread(thread);
  const bool is_in_kernel = seen.state == ThreadRunState::kBlocked;
  const auto [at, is_new] = known_.try_emplace(KeyOf(seen.stack, 0, may_be_end, is_in_kernel));
  if (is_new) {
    at->second = Judge(seen.stack, may_be_end, is_in_kernel);
    at->second.number = static_cast<uint32_t>(known_.size());
  }
  return at->second;
}

const WallSite& WallSites::OfWait(ThreadIndex thread, WaitKind kind, StackId stack, bool lasts) {
  const bool may_be_end = lasts && model_.IsMainThread(thread);
  const auto number = static_cast<uint32_t>(kind) + 1;
  const auto [at, is_new] = known_.try_emplace(KeyOf(stack, number, may_be_end, false));
  WallSite& wall_site = at->second;
  if (!is_new) return wall_site;
  wall_site = Judge(stack, may_be_end, false);
  wall_site.number = static_cast<uint32_t>(known_.size());
  const WallState reported = StateOf(kind);
  // A stack says more than the event does, except for a lock, and except if it shows no waiting
  // call.
  const bool stack_says_more = stack != 0 && wall_site.state != WallState::kNative;
  if (reported == WallState::kLock || !stack_says_more) wall_site.state = reported;
  return wall_site;
}

WallSite WallSites::Judge(StackId stack, bool may_be_end, bool is_in_kernel) {
  WallSite wall_site;
  // A thread without managed code on its stack belongs to the runtime, or does the work of native
  // code.
  if (stack == 0) {
    wall_site.state = is_in_kernel ? WallState::kNative : WallState::kIdle;
    return wall_site;
  }
  wall_site.path = WaitPath(model_.dictionaries, stack);
  const BlockingCall call = calls_.Find(wall_site.path);
  const Place place = WaitSiteOf(places_, calls_, wall_site.path);
  wall_site.site = place.site;
  wall_site.through = place.through;
  wall_site.place = places_.Of(BehindWait(calls_, wall_site.path));
  wall_site.state = IsIdle(wall_site.path, call, may_be_end) ? WallState::kIdle : StateOf(call);
  return wall_site;
}

bool WallSites::IsIdle(const std::vector<MethodId>& path, const BlockingCall& call,
                       bool may_be_end) {
  // A thread that waits for a lock has something to do.
  if (call.is_lock()) return false;
  const BlockingCalls::Worker worker = calls_.WorkerOf(path);
  if (worker != BlockingCalls::Worker::kNone) return worker == BlockingCalls::Worker::kIdle;
  size_t own = 0;
  bool is_framework = true;
  bool reads_console = false;
  for (const MethodId method : path) {
    const FrameKind kind = places_.kinds().Of(method);
    if (places_.kinds().IsYours(method)) ++own;
    if (kind == FrameKind::kApplication || kind == FrameKind::kPackage) is_framework = false;
    const Method& entry = model_.dictionaries.method(method);
    const std::string_view type =
        model_.dictionaries.String(model_.dictionaries.type(entry.type).name);
    reads_console = reads_console || type == "System.Console";
  }
  if (is_framework) return true;
  // Main waiting for the program's end, possibly the compiler's Main around an async one.
  const bool waits = call.kind != CallKind::kNone && call.kind != CallKind::kSleep;
  return own == 1 && ((may_be_end && waits) || reads_console);
}

}  // namespace hindsight::analyzer
