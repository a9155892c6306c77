// The drain side of every source. Drain thread.
//
// To add one: add a member, and an entry in the list. The other side is in signals.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "recorder/contract/options.h"
#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/allocations/allocation_packets.h"
#include "recorder/sources/compiler/compiler_packets.h"
#include "recorder/sources/compiler/inlining_tracker.h"
#include "recorder/sources/cpu/cpu_packets.h"
#include "recorder/sources/exceptions/exception_packets.h"
#include "recorder/sources/exceptions/fatal_error_packets.h"
#include "recorder/sources/exit/exit_call_packets.h"
#include "recorder/sources/gc/collection_packets.h"
#include "recorder/sources/locks/lock_packets.h"
#include "recorder/sources/modules/module_packets.h"
#include "recorder/sources/requests/request_detail_packets.h"
#include "recorder/sources/requests/request_duration_packets.h"
#include "recorder/sources/requests/request_packets.h"
#include "recorder/sources/requests/server_counts.h"
#include "recorder/sources/tally_packets.h"
#include "recorder/sources/threads/thread_roster.h"
#include "recorder/sources/waits/thread_snapshot_packets.h"

namespace hindsight::recorder {

class DrainSources {
 public:
  DrainSources(uint64_t recording, clr::ICorProfilerInfo10* info, CodeGate& gate,
               RuntimeMetadata& names, const contract::Options& options,
               SignalWalker& signal_walker, DictionaryWriter& dictionaries)
      : threads(dictionaries, options.Has(contract::Source::kThreads),
                options.Has(contract::Source::kRequests) && options.request_routes),
        modules(dictionaries),
        exceptions(dictionaries, threads),
        fatal_errors(recording, dictionaries, threads),
        exit_call(dictionaries, threads),
        locks(dictionaries, threads),
        collections(dictionaries, threads),
        inlining(dictionaries),
        allocations(dictionaries, threads),
        snapshots(dictionaries, threads),
        cpu(info, gate, options.cpu_hz, signal_walker, dictionaries, threads),
        server_counts(info, names),
        requests(recording, [this](uint64_t now_ns) { return server_counts.Read(now_ns); }),
        request_durations(dictionaries),
        request_details(dictionaries, threads,
                        options.request_details == contract::RequestDetailsChoice::kTexts,
                        RequestDetailPackets::MostPartBytes(options)),
        tallies(recording, dictionaries, threads) {
    for (PacketSource* source : list_) {
      for (const EventKind kind : source->Kinds()) by_kind_[static_cast<size_t>(kind)] = source;
    }
  }

  // In the order in which they are flushed.
  std::span<PacketSource* const> all() const { return list_; }
  // Null: no source handles it.
  PacketSource* Of(EventKind kind) const {
    const auto index = static_cast<size_t>(kind);
    return index < by_kind_.size() ? by_kind_[index] : nullptr;
  }

  ThreadRoster threads;
  ModulePackets modules;
  ExceptionPackets exceptions;
  FatalErrorPackets fatal_errors;
  ExitCallPackets exit_call;
  LockPackets locks;
  CollectionPackets collections;
  CompilerPackets compiler;
  InliningTracker inlining;
  AllocationPackets allocations;
  ThreadSnapshotPackets snapshots;
  CpuPackets cpu;
  ServerCounts server_counts;
  RequestPackets requests;
  RequestDurationPackets request_durations;
  RequestDetailPackets request_details;
  TallyPackets tallies;

 private:
  const std::array<PacketSource*, 16> list_ = {
      &threads,     &modules,           &exceptions,      &fatal_errors, &exit_call, &locks,
      &collections, &compiler,          &inlining,        &allocations,  &snapshots, &cpu,
      &requests,    &request_durations, &request_details, &tallies};
  std::array<PacketSource*, kEventKinds> by_kind_ = {};
};

}  // namespace hindsight::recorder
