#include "recorder/sources/events/event_session.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"
#include "recorder/sources/events/provider_name.h"
#include "recorder/sources/exceptions/exception_events.h"
#include "recorder/sources/requests/request_detail_events.h"
#include "recorder/sources/requests/request_durations.h"

namespace hindsight::recorder {
namespace {

clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG ConfigOf(EventProvider provider, EventLevel level,
                                                uint64_t keywords) {
  return {kEventProviderNames[static_cast<size_t>(provider)], keywords,
          static_cast<uint32_t>(level), nullptr};
}

}  // namespace

bool EventSession::Start(std::shared_ptr<void> owner, bool late, bool attached) {
  waits_ = late;
  knows_array_pool_ = attached;
  made_ns_ = MonotonicNs();
  return worker_.Start("hindsight-event", std::move(owner), [this] { Run(); });
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
  const auto main_thread = MainThreadId();
  const SessionsStart start{MonotonicNs()};
  uint64_t since = start.since_ns, cpu_ns = CpuNsOfThread(main_thread);
  while (!stopping_ && !leaving_ && !throws_) {
    const uint64_t now = MonotonicNs();
    const uint64_t made = made_ns_.load(std::memory_order_relaxed);
    const uint64_t due = start.DueNs(busy_ns_.load(std::memory_order_relaxed), made);
    if (now < due) {
      Wait(due - now, throws_);
      continue;
    }
    // On an overloaded machine, a main thread that wants to run but rarely does is not quiet: it is
    // still starting.
    const ThreadRun run = ReadThreadRun(main_thread);
    const bool wants = run.state == RunState::kRunning || run.state == RunState::kBlocked;
    if (now >= start.LatestNs(made) || !wants || run.cpu_ns - cpu_ns >= (now - since) / 2) return;
    StillBusy();
    cpu_ns = run.cpu_ns;
    since = now;
  }
}

void EventSession::SourceMade(clr::EVENTPIPE_PROVIDER provider) {
  StillBusy();
  made_ns_.store(MonotonicNs(), std::memory_order_relaxed);
  if (!plan_.HasApart()) return;
  if (ProviderName(info_, provider).view() == kArrayPoolProvider) {
    knows_array_pool_.store(true, std::memory_order_relaxed);
  }
}

bool EventSession::ExceptionThrown() {
  const uint32_t count = notified_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (count == kThrowsThatBegin) Set(&EventSession::throws_, true);
  return count != kMostNotified;
}

void EventSession::StartApart(clr::ICorProfilerInfo12* info) {
  if (!knows_array_pool_ || MonotonicNs() - made_ns_ < kApartQuietNs) return;
  has_apart_ = true;
  const std::u16string filters[] = {RequestDurations::Filter(MonotonicNs()),
                                    RequestDetailEvents::Filter()};
  constexpr EventProvider kProviders[] = {EventProvider::kMetrics, EventProvider::kDiagnostics};
  for (size_t i = 0; i < std::size(kProviders); ++i) {
    const uint64_t keywords = plan_.Keywords(kProviders[i], EventLevel::kApart);
    if (keywords == 0) continue;
    clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider =
        ConfigOf(kProviders[i], EventLevel::kInformational, keywords);
    provider.filter_data = filters[i].c_str();
    StartSession(info, {&provider, 1});
  }
}

void EventSession::Run() {
  while (!Wait(kEveryNs, ready_)) continue;
  clr::ICorProfilerInfo12* info = nullptr;
  if (clr::Failed(
          info_->QueryInterface(clr::ICorProfilerInfo12::kIid, reinterpret_cast<void**>(&info)))) {
    refused_ = true;
  }
  if (info != nullptr && !stopping_ && !leaving_) StartLevel(info, EventLevel::kCritical);
  if (waits_) WaitUntilQuiet();
  if (!stopping_ && !leaving_) {
    if (info != nullptr) StartSessions(info);
    if (waits_.exchange(false) && info != nullptr) on_late_begin_();
    do {
      query_();
      if (info != nullptr && !has_apart_ && plan_.HasApart()) StartApart(info);
    } while (!Wait(kEveryNs, stopping_));
  }
  for (size_t i = 0; i < session_count_ && !leaving_; ++i) {
    RunWithApplicationSignals([&] { info->EventPipeStopSession(sessions_[i]); });
  }
  if (!leaving_) end_();
  if (info != nullptr && !leaving_) info->Release();
}

// Everything that the sources need at one level.
bool EventSession::StartLevel(clr::ICorProfilerInfo12* info, EventLevel level) {
  std::vector<clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG> providers;
  for (size_t i = 0; i < kEventProviderNames.size(); ++i) {
    const auto provider = static_cast<EventProvider>(i);
    const uint64_t keywords = plan_.Keywords(provider, level);
    if (keywords != 0) providers.push_back(ConfigOf(provider, level, keywords));
  }
  return StartSession(info, providers);
}

void EventSession::StartSessions(clr::ICorProfilerInfo12* info) {
  bool has_exceptions = false;
  for (const EventLevel level : kEventLevels) {
    const uint64_t runtime = plan_.Keywords(EventProvider::kRuntime, level);
    if (StartLevel(info, level) && (runtime & ExceptionEvents::kKeyword) != 0) {
      has_exceptions = true;
    }
  }
  if (has_exceptions) begin_exceptions_();
}

bool EventSession::StartSession(clr::ICorProfilerInfo12* info,
                                std::span<clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG> providers) {
  if (providers.empty()) return false;
  clr::EVENTPIPE_SESSION session = 0;
  clr::HRESULT result = clr::E_FAIL;
  RunWithApplicationSignals([&] {
    result = info->EventPipeStartSession(static_cast<uint32_t>(providers.size()), providers.data(),
                                         /*request_rundown=*/0, &session);
  });
  if (clr::Failed(result)) {
    refused_ = true;
    return false;
  }
  sessions_[session_count_++] = session;
  return true;
}

bool EventSession::Stop(uint64_t timeout_ns) {
  Set(&EventSession::stopping_, true);
  return worker_.WaitForEnd(timeout_ns);
}

void EventSession::Leave() { Set(&EventSession::leaving_, true); }

}  // namespace hindsight::recorder
