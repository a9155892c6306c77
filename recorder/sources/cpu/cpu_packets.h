// Source `cpu`, on the drain thread: samples become columns.
//
// They are held back until the segment ends or a packet is full: in columns a sample takes only a
// few bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/cpu/cpu_slots.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class CpuPackets final : public PacketSource {
 public:
  CpuPackets(clr::ICorProfilerInfo10* info, CodeGate& gate, uint32_t hz, SignalWalker& walker,
             DictionaryWriter& dictionaries, ThreadRoster& threads)
      : info_(info),
        gate_(gate),
        period_ns_(1'000'000'000 / hz),
        walker_(walker),
        dictionaries_(dictionaries),
        threads_(threads) {}

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kCpuSample};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  void Flush(PacketWriter& packets) override;

 private:
  static constexpr size_t kMaxSamples = 4096;  // per packet: about 40 KiB
  // A sample stands for milliseconds. The last bits of its time are noise, which does not compress:
  // they would be a tenth of a sample's size on disk.
  static constexpr int64_t kStepUs = 16;

  clr::ICorProfilerInfo10* const info_;
  CodeGate& gate_;
  const uint64_t period_ns_;
  SignalWalker& walker_;
  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;

  std::vector<uintptr_t> frames_;  // of the current sample

  // Dictionary ids are valid until the segment ends, so samples are written before that.
  uint64_t first_ns_ = 0, last_ns_ = 0;  // time of the first sample, and of the last one as written
  std::vector<int32_t> time_deltas_us_;
  std::vector<uint32_t> thread_ids_, stacks_, weights_, unrooted_;
  bool weighted_ = false;
};

}  // namespace hindsight::recorder
