#include "recorder/sources/tally_packets.h"

#include "recorder/sources/exceptions/exceptions.h"
#include "recorder/sources/locks/lock_packets.h"

namespace hindsight::recorder {
namespace {

// A throw that has been in flight for this long is reported as a count: native code has swallowed
// it.
constexpr uint64_t kMostHeldBackNs = 10'000'000'000;

}  // namespace

bool TallyPackets::HasNews() {
  bool has_news = false;
  ThreadTracks::Instance().ForEach(
      recording_, [&](ThreadTrack& track) { has_news = has_news || !track.tally.IsReported(); });
  return has_news;
}

void TallyPackets::Write(uint64_t now_ns, PacketWriter& packets) {
  now_ns_ = now_ns;
  ThreadTracks::Instance().ForEach(recording_, [&](ThreadTrack& track) {
    const auto write = [&](TallyRow& row, const TallyKey& key, const TallyCounts& counts) {
      const uint32_t thread = threads_.IdAt(track.os_id, counts.last_ns, packets);
      // The id was valid when the last of them began; ids of unloaded types are not queried.
      dictionaries_.ForEventAt(counts.last_ns);
      if (key.kind == TallyKind::kException) {
        WriteThrows(key, row.reported(), counts, thread, packets);
      } else {
        WriteWaits(key, row.reported(), counts, thread, packets);
      }
      reported_.push_back({&track.tally, &row, counts});
    };
    track.tally.ForEachNews(write, [&](const TallyCounts& counts) {
      const bool may_come = !reports_all_ && counts.last_ns + kMostHeldBackNs > now_ns &&
                            !track.exited.load(std::memory_order_acquire);
      return may_come ? track.last_words.HoldBack() : Tally::HeldBack{};
    });
  });
  last_ns_ = now_ns;
}

void TallyPackets::SegmentEnded(bool written) {
  if (written) {
    throws_ += new_throws_;
    for (const Reported& reported : reported_) {
      reported.tally->Confirm(*reported.row, reported.counts);
    }
    written_ns_ = last_ns_;
  }
  new_throws_ = 0;
  reported_.clear();
}

void TallyPackets::WriteThrows(const TallyKey& key, const TallyCounts& reported,
                               const TallyCounts& counts, uint32_t thread, PacketWriter& packets) {
  const uint32_t type = key.subject != 0 ? dictionaries_.Type(key.subject) : 0;
  const uint32_t stack = key.stack != 0 ? dictionaries_.Stack(key.stack) : 0;
  new_throws_ += counts.begun - reported.begun;
  packets.Write(wire::Packet::kExceptionTally, now_ns_, [&](auto& tally) {
    tally.Set(tally.kThread, thread);
    if (type != 0) tally.Set(tally.kType, type);
    if (stack != 0) tally.Set(tally.kStack, stack);
    tally.Set(tally.kThrown, counts.begun - reported.begun);
    if (counts.continued != reported.continued) {
      tally.Set(tally.kThrownAgain, counts.continued - reported.continued);
    }
    for (size_t i = 0; i < kTallyEnds; ++i) {
      if (counts.ended[i] == reported.ended[i]) continue;
      ProtoWriter ended(tally, tally.kEnded);
      ended.Set(ended.kKind, static_cast<ExceptionEnd>(i + 1));  // see TallyEndOf
      ended.Set(ended.kCount, counts.ended[i] - reported.ended[i]);
      ended.Set(ended.kThrowToEndNs, counts.time_ns[i] - reported.time_ns[i]);
    }
    if (written_ns_ != 0) tally.Set(tally.kIntervalNs, now_ns_ - written_ns_);
  });
}

void TallyPackets::WriteWaits(const TallyKey& key, const TallyCounts& reported,
                              const TallyCounts& counts, uint32_t thread, PacketWriter& packets) {
  auto kind = static_cast<WaitKind>(key.detail);
  if (key.stack != 0) {
    kind = LockPackets::KindOf(kind, dictionaries_.Frames(key.stack), dictionaries_);
  }
  const uint32_t stack = key.stack != 0 ? dictionaries_.Stack(key.stack) : 0;
  packets.Write(wire::Packet::kLockWaitTally, now_ns_, [&](auto& tally) {
    tally.Set(tally.kThread, thread);
    tally.Set(tally.kKind, kind);
    if (key.subject != 0) tally.Set(tally.kLock, key.subject);
    if (stack != 0) tally.Set(tally.kStack, stack);
    tally.Set(tally.kBegan, counts.begun - reported.begun);
    tally.Set(tally.kEnded, counts.ended[0] - reported.ended[0]);
    tally.Set(tally.kDurationNs, counts.time_ns[0] - reported.time_ns[0]);
    tally.Set(tally.kLongestNs, counts.longest_ns);
    if (written_ns_ != 0) tally.Set(tally.kIntervalNs, now_ns_ - written_ns_);
  });
}

}  // namespace hindsight::recorder
