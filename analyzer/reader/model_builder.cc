#include "analyzer/reader/model_builder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/model/recorded_system.h"
#include "analyzer/model/runtime_work.h"
#include "analyzer/model/thinned_rows.h"
#include "analyzer/reader/collection_builder.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/recorder_activity.h"
#include "analyzer/reader/recorder_cost.h"
#include "analyzer/reader/recording_facts_builder.h"
#include "analyzer/reader/request_builder.h"
#include "analyzer/reader/request_detail_builder.h"
#include "analyzer/reader/sample_builder.h"
#include "analyzer/reader/thread_table.h"
#include "analyzer/reader/wait_builder.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kMaxTallied = uint64_t{1} << 50;  // in one packet

RecorderFacts CostOf(const RecorderCost& cost, bool samples_suspend, int64_t time_ns) {
  return {.elapsed_ns = std::max<int64_t>(0, time_ns),
          .cpu_ns = CostPartsOf(cost, samples_suspend).cpu_ns(),
          .memory_bytes = cost.memory_bytes(),
          .written_bytes = cost.written_bytes()};
}

// HRESULTs of the runtime (corerror.h), and the Windows code for an access violation.
FatalError::Kind FatalErrorKindOf(uint32_t code) {
  using Kind = FatalError::Kind;
  switch (code) {
    case 0x80131623:  // COR_E_FAILFAST
      return Kind::kFailFast;
    case 0x800703E9:  // COR_E_STACKOVERFLOW
      return Kind::kStackOverflow;
    case 0xC0000005:  // STATUS_ACCESS_VIOLATION
    case 0x80004003:  // E_POINTER, as which .NET throws it
      return Kind::kAccessViolation;
    case 0x80131506:  // COR_E_EXECUTIONENGINE
      return Kind::kRuntime;
    default:
      return Kind::kOther;
  }
}

class Builder {
 public:
  Builder(Model& model, const ExceptionScope& scope, const NativeNamer& native_names)
      : model_(model),
        file_(model.dictionaries, &model.samples.calls, &native_names),
        tracker_(model.dictionaries, scope) {}

  void OnPacket(const PacketContext& context, const Packet& packet);
  void Finish(const Integrity& integrity);

 private:
  void OnThread(const hindsight::Thread& thread);
  void OnThreadLifetime(const ThreadLifetime& lifetime, int64_t time_ns);
  void OnException(const PacketContext& context, const Exception& exception, int64_t time_ns);
  void OnExceptionTally(const ExceptionTally& tally, int64_t time_ns);
  void OnFatalError(const hindsight::FatalError& error, int64_t time_ns);
  void OnMemory(const ProcessMemory& memory, int64_t time_ns);
  void OnModuleLoad(const ModuleLoad& load, int64_t time_ns);
  ThrowOutcome OutcomeOf(const hindsight::Outcome& outcome);
  static Outcome KindOf(hindsight::Outcome::Kind kind);

  Model& model_;
  RecordingFactsBuilder facts_{model_.facts, model_.losses};
  FileDictionary file_;
  ThreadTable threads_{model_};
  ExceptionTracker tracker_;
  CollectionBuilder collections_{model_.collections};
  WaitBuilder waits_{model_.waits, file_, threads_};
  RecorderActivity activity_;
  SampleBuilder samples_{model_.samples, file_, threads_, activity_};
  RequestBuilder requests_{model_.requests};
  RequestDetailBuilder request_details_{model_.requests.details, file_, threads_};
  ThinnedRows<MemorySample> memory_{Model::kMaxMemorySamples};
  uint32_t file_ordinal_ = 0;
  bool samples_suspend_ = false;
};

void Builder::OnPacket(const PacketContext& context, const Packet& packet) {
  if (context.file_ordinal != file_ordinal_) {
    file_ordinal_ = context.file_ordinal;
    file_.StartFile();
  }
  const std::optional<int64_t> time = facts_.TimeOf(context, packet);
  if (!time || activity_.Takes(packet)) return;
  const int64_t time_ns = *time;

  switch (packet.data_case()) {
    case Packet::kSegmentStart:
      return waits_.OnSegment();
    case Packet::kString:
      return file_.Add(packet.string());
    case Packet::kModule:
      return file_.Add(packet.module());
    case Packet::kType:
      return file_.Add(packet.type());
    case Packet::kMethod:
      return file_.Add(packet.method());
    case Packet::kFrame:
      return file_.Add(packet.frame());
    case Packet::kStack:
      return file_.Add(packet.stack());
    case Packet::kThread:
      return OnThread(packet.thread());
    case Packet::kThreadCounts:
      model_.counted_threads.started += packet.thread_counts().started();
      model_.counted_threads.ended += packet.thread_counts().ended();
      return;
    case Packet::kThreadLifetime:
      return OnThreadLifetime(packet.thread_lifetime(), time_ns);
    case Packet::kException:
      return OnException(context, packet.exception(), time_ns);
    case Packet::kExceptionOutcome:
      return tracker_.OnOutcome(packet.exception_outcome().id(),
                                OutcomeOf(packet.exception_outcome().outcome()));
    case Packet::kExceptionTally:
      return OnExceptionTally(packet.exception_tally(), time_ns);
    case Packet::kFatalError:
      return OnFatalError(packet.fatal_error(), time_ns);
    case Packet::kExitCall:
      model_.exit_call = {.at_ns = time_ns,
                          .thread = threads_.Of(packet.exit_call().thread()),
                          .stack = file_.StackOf(packet.exit_call().stack())};
      return;
    case Packet::kGarbageCollection:
      return collections_.On(packet.garbage_collection(), time_ns);
    case Packet::kCollectCall:
      return collections_.OnCall(file_.StackOf(packet.collect_call().stack()), time_ns);
    case Packet::kSuspension:
      return collections_.On(packet.suspension(), time_ns);
    case Packet::kThreadSnapshot:
      return waits_.On(packet.thread_snapshot(), time_ns);
    case Packet::kThreadState:
      return waits_.On(packet.thread_state());
    case Packet::kLockWait:
      return waits_.On(packet.lock_wait(), context.wait_id, time_ns);
    case Packet::kLockWaitEnd:
      return waits_.On(packet.lock_wait_end());
    case Packet::kLockWaitTally:
      return waits_.On(packet.lock_wait_tally(), time_ns);
    case Packet::kPoolAdjustment:
      return waits_.On(packet.pool_adjustment(), time_ns);
    case Packet::kProcessMemory:
      return OnMemory(packet.process_memory(), time_ns);
    case Packet::kModuleLoad:
      return OnModuleLoad(packet.module_load(), time_ns);
    case Packet::kPoolSample:
      return waits_.On(packet.pool_sample(), time_ns);
    case Packet::kCpuSamples:
      return samples_.On(packet.cpu_samples(), time_ns);
    case Packet::kAllocationSamples:
      return samples_.On(packet.allocation_samples(), time_ns);
    case Packet::kJitSample:
      return samples_.On(packet.jit_sample(), time_ns);
    case Packet::kRequestCounts:
      return requests_.On(packet.request_counts(), time_ns);
    case Packet::kRequestDurations:
      return requests_.On(packet.request_durations(), file_.Text(packet.request_durations().tags()),
                          time_ns);
    case Packet::kServedRequest:
      return request_details_.On(packet.served_request(), time_ns);
    case Packet::kOutsideCalls:
      return request_details_.On(packet.outside_calls(), time_ns);
    case Packet::kProcess:
      samples_suspend_ = SamplesSuspend(packet.process().os());
      return;
    case Packet::kRecorderCost:
      model_.recorder = CostOf(packet.recorder_cost(), samples_suspend_, time_ns);
      return samples_.On(packet.recorder_cost());
    case Packet::kRecorderNote:
    case Packet::kLoss:
    case Packet::kRecordingEnd:
      return facts_.On(packet, time_ns);
    default:
      return;  // nothing that the model contains
  }
}

void Builder::OnFatalError(const hindsight::FatalError& error, int64_t time_ns) {
  if (model_.fatal_error) return;
  model_.fatal_error = {.kind = FatalErrorKindOf(error.code()),
                        .code = error.code(),
                        .at_ns = time_ns,
                        .thread = threads_.Of(error.thread()),
                        .message = std::string(file_.Text(error.message())),
                        .stack = file_.StackOf(error.stack())};
  if (model_.fatal_error->kind == FatalError::Kind::kAccessViolation) {
    tracker_.OnAccessViolation(model_.fatal_error->thread);
  }
}

void Builder::OnMemory(const ProcessMemory& memory, int64_t time_ns) {
  const uint64_t others = std::min(memory.recorder_bytes(), memory.anonymous_bytes());
  memory_.Add({.at_ns = time_ns,
               .resident_bytes = memory.resident_bytes(),
               .anonymous_bytes = memory.anonymous_bytes() - others,
               .open_files = memory.open_files()});
}

void Builder::OnModuleLoad(const ModuleLoad& load, int64_t time_ns) {
  if (load.kind() == ModuleLoad::SEEN) return;
  if (model_.assemblies.size() == Model::kMaxAssemblyChanges) return;
  model_.assemblies.push_back({.at_ns = time_ns,
                               .is_load = load.kind() == ModuleLoad::LOADED,
                               .is_generated = file_.IsGenerated(load.module())});
}

void Builder::OnThread(const hindsight::Thread& thread) {
  const ThreadIndex index = threads_.Of(thread.id());
  if (index == 0) return;
  ThreadInfo& info = model_.threads[index];
  if (thread.os_id() != 0) info.os_id = thread.os_id();
  if (thread.name() != 0) info.name = file_.Name(thread.name());
  if (thread.creator_stack() != 0) info.creator_stack = file_.StackOf(thread.creator_stack());
  if (thread.started_ns() != 0) {
    info.has_start = true;
    info.start_ns = facts_.FromStart(thread.started_ns());
  }
  if (thread.ended_ns() != 0) {
    info.has_end = true;
    info.end_ns = facts_.FromStart(thread.ended_ns());
  }
}

void Builder::OnThreadLifetime(const ThreadLifetime& lifetime, int64_t time_ns) {
  const ThreadIndex index = threads_.Of(lifetime.thread());
  if (index == 0) return;
  ThreadInfo& info = model_.threads[index];
  switch (lifetime.kind()) {
    case ThreadLifetime::SEEN:
      info.seen_alive = true;
      break;
    case ThreadLifetime::CREATED:
      if (!info.has_start) info.start_ns = time_ns;
      info.has_start = true;
      break;
    case ThreadLifetime::DESTROYED:
      if (!info.has_end) info.end_ns = time_ns;
      info.has_end = true;
      break;
    default:
      ++model_.losses.unknown_packets;
  }
}

void Builder::OnException(const PacketContext& context, const Exception& exception,
                          int64_t time_ns) {
  const uint64_t id = context.exception_id;
  // An id before the first throw means none.
  const auto before = [id](uint64_t delta) { return delta != 0 && delta < id ? id - delta : 0; };
  Throw thrown;
  thrown.id = id;
  thrown.time_ns = time_ns;
  thrown.previous = before(exception.previous_delta());
  thrown.cause = before(exception.cause_delta());
  thrown.during = before(exception.during_delta());
  thrown.type = file_.TypeOf(exception.type());
  thrown.stack = file_.StackOf(exception.stack());
  thrown.call = file_.CallOf(exception.stack());
  thrown.thread = threads_.Of(exception.thread());
  switch (exception.hop()) {
    case HOP_RETHROW:
      thrown.hop = Hop::kRethrow;
      break;
    case HOP_RESTORED:
      thrown.hop = Hop::kRestored;
      break;
    case HOP_AGAIN:
      thrown.hop = Hop::kAgain;
      break;
    default:
      break;
  }
  thrown.hop_inferred = exception.hop_inferred();
  thrown.stack_truncated = exception.stack_truncated();
  thrown.outcome = OutcomeOf(exception.outcome());
  ++model_.threads[thrown.thread].throws;
  const bool has_message = exception.message() != 0;
  tracker_.OnThrow(thrown, has_message,
                   has_message ? file_.Text(exception.message()) : std::string_view());
}

// Counts from untrusted input: bounded, so that their sums do not overflow.
void Builder::OnExceptionTally(const ExceptionTally& tally, int64_t time_ns) {
  const auto bounded = [](uint64_t count) { return std::min(count, kMaxTallied); };
  CountedThrows counted;
  counted.to_ns = time_ns;
  counted.from_ns = time_ns - static_cast<int64_t>(std::min<uint64_t>(
                                  tally.interval_ns(), static_cast<uint64_t>(kMaxTimeNs)));
  counted.type = file_.TypeOf(tally.type());
  counted.stack = file_.StackOf(tally.stack());
  counted.call = file_.CallOf(tally.stack());
  counted.thread = threads_.Of(tally.thread());
  ThrowCounts& counts = counted.counts;
  counts.thrown = bounded(tally.thrown());
  counts.thrown_again = std::min(bounded(tally.thrown_again()), counts.thrown);
  for (const ExceptionTally::Ended& ended : tally.ended()) {
    const Outcome kind = KindOf(ended.kind());
    if (kind == Outcome::kInFlight) continue;
    counts.ended[static_cast<size_t>(kind)] += bounded(ended.count());
    counts.total_ns += bounded(ended.throw_to_end_ns());
  }
  model_.threads[counted.thread].throws += counts.thrown;
  tracker_.OnCounted(counted);
}

Outcome Builder::KindOf(hindsight::Outcome::Kind kind) {
  switch (kind) {
    case hindsight::Outcome::CAUGHT:
      return Outcome::kCaught;
    case hindsight::Outcome::REPLACED:
      return Outcome::kReplaced;
    case hindsight::Outcome::LOST_IN_FILTER:
      return Outcome::kLostInFilter;
    case hindsight::Outcome::UNHANDLED:
      return Outcome::kUnhandled;
    case hindsight::Outcome::CAUGHT_NATIVE:
      return Outcome::kCaughtNative;
    default:
      return Outcome::kInFlight;  // or a kind from a newer version
  }
}

ThrowOutcome Builder::OutcomeOf(const hindsight::Outcome& outcome) {
  ThrowOutcome out;
  out.kind = KindOf(outcome.kind());
  if (out.kind == Outcome::kCaught) out.handler = file_.HandlerOf(outcome.catcher());
  out.throw_to_end_ns = outcome.throw_to_end_ns();
  out.finally_count = outcome.finally_count();
  out.filter_count = outcome.filter_count();
  return out;
}

void Builder::Finish(const Integrity& integrity) {
  model_.exceptions = tracker_.Finish();
  collections_.Finish();
  waits_.Finish();
  samples_.Finish();
  model_.memory = memory_.Take();
  NameRuntimeWork(model_);
  requests_.Finish();
  if (std::string own = activity_.Sentence(); !own.empty()) {
    model_.facts.notes.push_back(std::move(own));
  }
  facts_.Finish(integrity, file_.dangling());
  model_.losses.refused +=
      model_.dictionaries.refused() + model_.waits.refused + model_.samples.calls.refused();
}

}  // namespace

Result<std::unique_ptr<Model>> BuildModel(Recording& recording, const ExceptionScope& scope,
                                          Progress* progress, const NativeNamer& native_names) {
  auto model = std::make_unique<Model>();
  Builder builder(*model, scope, native_names);
  const Result<void> read = recording.ForEachPacket(
      [&builder](const PacketContext& context, const Packet& packet) {
        builder.OnPacket(context, packet);
      },
      progress);
  if (!read) return read.error();
  builder.Finish(recording.integrity());
  return model;
}

}  // namespace hindsight::analyzer
