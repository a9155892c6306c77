#include "analyzer/reader/reference_check.h"

namespace hindsight::analyzer {

void ReferenceCheck::Take(const PacketContext& context, const Packet& packet) {
  if (context.file_ordinal != file_ordinal_) {
    file_ordinal_ = context.file_ordinal;
    for (std::vector<bool>& ids : defined_) ids.clear();
    threads_.clear();
  }
  counts_ = !context.dictionary_gap;
  TakeEntry(packet);
  TakeEvent(packet);
}

void ReferenceCheck::TakeEntry(const Packet& packet) {
  switch (packet.data_case()) {
    case Packet::kString:
      return Define(kString, packet.string().id());
    case Packet::kModule:
      Use(kString, packet.module().path());
      Use(kString, packet.module().assembly());
      Use(kString, packet.module().pdb_path());
      Use(kString, packet.module().revision());
      return Define(kModule, packet.module().id());
    case Packet::kType:
      Use(kString, packet.type().name());
      Use(kModule, packet.type().module());
      Use(kType, packet.type().element());
      UseAll(kType, packet.type().argument());
      return Define(kType, packet.type().id());
    case Packet::kMethod:
      Use(kString, packet.method().name());
      Use(kType, packet.method().type());
      Use(kModule, packet.method().module());
      UseAll(kType, packet.method().argument());
      return Define(kMethod, packet.method().id());
    case Packet::kFrame:
      Use(kMethod, packet.frame().method());
      return Define(kFrame, packet.frame().id());
    case Packet::kStack:
      Use(kStack, packet.stack().parent());
      Use(kFrame, packet.stack().frame());
      return Define(kStack, packet.stack().id());
    case Packet::kThread:
      Use(kString, packet.thread().name());
      Use(kStack, packet.thread().creator_stack());
      threads_.insert(packet.thread().id());
      return;
    default:
      return;
  }
}

void ReferenceCheck::TakeEvent(const Packet& packet) {
  switch (packet.data_case()) {
    case Packet::kException:
      UseThread(packet.exception().thread());
      Use(kType, packet.exception().type());
      Use(kString, packet.exception().message());
      Use(kStack, packet.exception().stack());
      return Use(kFrame, packet.exception().outcome().catcher());
    case Packet::kFatalError:
      UseThread(packet.fatal_error().thread());
      Use(kString, packet.fatal_error().message());
      return Use(kStack, packet.fatal_error().stack());
    case Packet::kExitCall:
      UseThread(packet.exit_call().thread());
      return Use(kStack, packet.exit_call().stack());
    case Packet::kCollectCall:
      UseThread(packet.collect_call().thread());
      return Use(kStack, packet.collect_call().stack());
    case Packet::kExceptionOutcome:
      return Use(kFrame, packet.exception_outcome().outcome().catcher());
    case Packet::kExceptionTally:
      UseThread(packet.exception_tally().thread());
      Use(kType, packet.exception_tally().type());
      return Use(kStack, packet.exception_tally().stack());
    case Packet::kLockWaitTally:
      UseThread(packet.lock_wait_tally().thread());
      return Use(kStack, packet.lock_wait_tally().stack());
    case Packet::kRequestDurations:
      return Use(kString, packet.request_durations().tags());
    case Packet::kServedRequest:
      UseThread(packet.served_request().thread());
      Use(kString, packet.served_request().route());
      for (const RequestPart& part : packet.served_request().part()) TakePart(part);
      return;
    case Packet::kOutsideCalls:
      for (const RequestPart& part : packet.outside_calls().part()) TakePart(part);
      return;
    case Packet::kThreadLifetime:
      return UseThread(packet.thread_lifetime().thread());
    case Packet::kLockWait:
      UseThread(packet.lock_wait().thread());
      UseThread(packet.lock_wait().owner());
      Use(kStack, packet.lock_wait().owner_stack());
      return Use(kStack, packet.lock_wait().stack());
    case Packet::kLockWaitEnd:
      return Use(kStack, packet.lock_wait_end().owner_stack());
    case Packet::kModuleLoad:
      return Use(kModule, packet.module_load().module());
    case Packet::kThreadState:
      UseThread(packet.thread_state().thread());
      return Use(kStack, packet.thread_state().stack());
    case Packet::kCpuSamples:
      UseThreads(packet.cpu_samples().thread());
      return UseAll(kStack, packet.cpu_samples().stack());
    case Packet::kAllocationSamples:
      UseThreads(packet.allocation_samples().thread());
      UseAll(kType, packet.allocation_samples().type());
      return UseAll(kStack, packet.allocation_samples().stack());
    case Packet::kLoss:
      return UseThread(packet.loss().thread());
    default:
      return;
  }
}

void ReferenceCheck::TakePart(const RequestPart& part) {
  Use(kString, part.what());
  Use(kString, part.text());
  Use(kStack, part.stack());
}

void ReferenceCheck::Define(Kind kind, uint32_t id) {
  std::vector<bool>& ids = defined_[kind];
  if (id >= ids.size()) ids.resize(id + 1);
  ids[id] = true;
}

void ReferenceCheck::Use(Kind kind, uint32_t id) {
  const std::vector<bool>& ids = defined_[kind];
  if (counts_ && id != 0 && (id >= ids.size() || !ids[id])) ++undefined_;
}

void ReferenceCheck::UseThread(uint32_t id) {
  if (counts_ && id != 0 && !threads_.contains(id)) ++undefined_;
}

template <typename Ids>
void ReferenceCheck::UseThreads(const Ids& ids) {
  for (const uint32_t id : ids) UseThread(id);
}

template <typename Ids>
void ReferenceCheck::UseAll(Kind kind, const Ids& ids) {
  for (const uint32_t id : ids) Use(kind, id);
}

}  // namespace hindsight::analyzer
