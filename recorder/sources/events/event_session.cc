#include "recorder/sources/events/event_session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "recorder/base/thread_run.h"
#include "recorder/clr/runtime_version.h"
#include "recorder/sources/allocations/allocations.h"
#include "recorder/sources/compiler/inlining.h"
#include "recorder/sources/events/provider_name.h"
#include "recorder/sources/exceptions/exception_events.h"
#include "recorder/sources/gc/collection_details.h"
#include "recorder/sources/locks/locks.h"
#include "recorder/sources/requests/request_durations.h"
#include "recorder/sources/requests/requests.h"

namespace hindsight::recorder {
namespace {

using contract::Source;

constexpr uint32_t kErrors = 2, kInformational = 4, kVerbose = 5;
static_assert(kErrors == ExceptionEvents::kThrowsLevel &&
              kInformational == ExceptionEvents::kAllLevel);

}  // namespace

EventPlan PlanEvents(const contract::Options& options, int runtime, bool exceptions) {
  EventPlan plan;
  if (options.Has(Source::kLocks)) {
    plan.verbose |= Locks::kRuntimeKeywords;
    plan.tasks = options.lock_task_waits;
  }
  if (options.Has(Source::kGc)) {
    plan.informational |= CollectionDetails::kKeyword | Compiler::kKeywords;
  }
  if (options.Has(Source::kAllocations)) {
    if (runtime >= Allocations::kSampledSince) {
      plan.informational |= Allocations::kSampledKeyword;
    } else {
      plan.verbose |= Allocations::kTickKeyword;
    }
  }
  plan.requests = options.Has(Source::kRequests);
  plan.inlining = Inlining::Wanted(options);
  if (plan.inlining) plan.verbose |= Inlining::kRuntimeKeyword;
  if (exceptions && options.Has(Source::kExceptions)) {
    plan.informational |= ExceptionEvents::kKeyword;
  } else if (exceptions && options.Has(Source::kCpu)) {
    plan.errors = ExceptionEvents::kKeyword;
  }
  // An event is delivered once for each session that enables it.
  plan.informational &= ~plan.verbose;
  return plan;
}

bool EventSession::Needed(const contract::Options& options, bool exceptions) {
  return !PlanEvents(options, 0, exceptions).empty();
}

void EventSession::Set(std::atomic<bool> EventSession::*flag, bool value) {
  const std::lock_guard lock(mutex_);
  this->*flag = value;
  changed_.notify_all();
}

bool EventSession::Wait(uint64_t timeout_ns, const std::atomic<bool>& flag) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                           [&] { return flag || stopping_ || leaving_; });
}

void EventSession::WaitUntilQuiet() {
  const auto main_thread = static_cast<uint32_t>(getpid());
  const uint64_t latest = MonotonicNs() + kLongestStartNs;
  uint64_t since = MonotonicNs(), cpu_ns = CpuNsOfThread(main_thread);
  while (!stopping_ && !leaving_ && !throws_) {
    const uint64_t now = MonotonicNs();
    const uint64_t due = std::min(busy_ns_.load(std::memory_order_relaxed) + kQuietNs, latest);
    if (now < due) {
      Wait(due - now, throws_);
      continue;
    }
    // On an overloaded machine, a main thread that wants to run but rarely does is not quiet: it is
    // still starting.
    const ThreadRun run = ReadThreadRun(main_thread);
    const bool wants = run.state == RunState::kRunning || run.state == RunState::kBlocked;
    if (now >= latest || !wants || run.cpu_ns - cpu_ns >= (now - since) / 2) return;
    StillBusy();
    cpu_ns = run.cpu_ns;
    since = now;
  }
}

void EventSession::SourceMade(clr::EVENTPIPE_PROVIDER provider) {
  StillBusy();
  if (!RequestDurations::Wanted(options_)) return;
  made_ns_.store(MonotonicNs(), std::memory_order_relaxed);
  if (ProviderName(info_, provider).view() == kArrayPoolProvider) {
    knows_array_pool_.store(true, std::memory_order_relaxed);
  }
}

bool EventSession::ExceptionThrown() {
  const uint32_t count = notified_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (count == kThrowsThatBegin) Set(&EventSession::throws_, true);
  return count != kMostNotified;
}

void EventSession::StartRoutes(clr::ICorProfilerInfo12* info) {
  if (!knows_array_pool_ || MonotonicNs() - made_ns_ < kRoutesQuietNs) return;
  has_routes_ = true;
  const std::u16string filter = RequestDurations::Filter(MonotonicNs());
  clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider = {
      RequestDurations::kProvider, RequestDurations::kKeywords, kInformational, filter.c_str()};
  Start(info, {&provider, 1});
}

void EventSession::Run() {
  while (!Wait(kEveryNs, ready_)) continue;
  if (waits_) WaitUntilQuiet();
  clr::ICorProfilerInfo12* info = nullptr;
  if (!stopping_ && !leaving_) {
    if (clr::Succeeded(info_->QueryInterface(clr::ICorProfilerInfo12::kIid,
                                             reinterpret_cast<void**>(&info)))) {
      Start(info);
      if (waits_.exchange(false)) tell_late_();
    } else {
      refused_ = true;
    }
    do {
      Sample();
      if (info != nullptr && !has_routes_ && RequestDurations::Wanted(options_)) StartRoutes(info);
    } while (!Wait(kEveryNs, stopping_));
  }
  for (size_t i = 0; i < session_count_ && !leaving_; ++i) info->EventPipeStopSession(sessions_[i]);
  if (!leaving_) survivors_.Close();
  if (info != nullptr && !leaving_) info->Release();
  NoRun();
}

void EventSession::Start(clr::ICorProfilerInfo12* info) {
  const bool exceptions = begin_exceptions_ != nullptr;
  const EventPlan plan = PlanEvents(options_, clr::MajorVersion(info_), exceptions);
  std::vector<clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG> verbose, informational, errors;
  if (plan.verbose != 0) {
    verbose.push_back({kRuntimeProvider, plan.verbose, kVerbose, nullptr});
  }
  if (plan.tasks) {
    verbose.push_back({Locks::kTaskProvider, Locks::kTaskKeywords, kVerbose, nullptr});
  }
  if (plan.inlining) {
    verbose.push_back({Inlining::kProvider, Inlining::kKeywords, kInformational, nullptr});
  }
  if (plan.informational != 0) {
    informational.push_back({kRuntimeProvider, plan.informational, kInformational, nullptr});
  }
  if (plan.requests) {
    informational.push_back({Requests::kProvider, Requests::kKeywords, kInformational, nullptr});
  }
  if (plan.errors != 0) errors.push_back({kRuntimeProvider, plan.errors, kErrors, nullptr});
  Start(info, verbose);
  const bool has_informational = Start(info, informational);
  const bool has_errors = Start(info, errors);
  const bool in_informational = (plan.informational & ExceptionEvents::kKeyword) != 0;
  if (in_informational ? has_informational : has_errors) begin_exceptions_();
}

bool EventSession::Start(clr::ICorProfilerInfo12* info,
                         std::span<clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG> providers) {
  if (providers.empty()) return false;
  clr::EVENTPIPE_SESSION session = 0;
  if (clr::Failed(info->EventPipeStartSession(static_cast<uint32_t>(providers.size()),
                                              providers.data(), /*request_rundown=*/0, &session))) {
    refused_ = true;
    return false;
  }
  sessions_[session_count_++] = session;
  return true;
}

void EventSession::Sample() {
  if (options_.Has(Source::kLocks)) pool_.Sample();
  if (options_.Has(Source::kGc)) compiler_.Sample();
  survivors_.Sweep();
}

bool EventSession::Stop(uint64_t timeout_ns) {
  Set(&EventSession::stopping_, true);
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] { return !running_; });
}

void EventSession::Leave() { Set(&EventSession::leaving_, true); }

}  // namespace hindsight::recorder
