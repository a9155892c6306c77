// How to unwind managed code: method bodies that samples have hit, with the rows of their prologs.
//
// The drain thread learns a body once: its bounds from the runtime, and its prolog by reading the
// code. Signal handlers look it up in a table that is published as a whole. Full tables start over.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "recorder/base/memory.h"
#include "recorder/clr/info.h"
#include "recorder/names/code_gate.h"
#include "recorder/names/descriptions.h"
#include "recorder/stack/forgotten_regions.h"
#include "recorder/stack/prolog.h"
#include "recorder/stack/unwind_step.h"
#include "recorder/stack/walks.h"

namespace hindsight::recorder {

class ManagedCode {
 public:
  explicit ManagedCode(const Walks& walks) : walks_(walks) {}

  // Call both only while no walk is in progress. Without memory under the limit, nothing is ever
  // known.
  bool Open(MemoryBudget& budget);
  void Close(MemoryBudget& budget);

  // Drain thread. Learns the body that contains `ip`, an instruction that was run or called from at
  // `as_of_ns`; walks see it after one of the next calls of Publish. True: there is such a body,
  // and it stays known until something is forgotten or the tables start over.
  bool Learn(clr::ICorProfilerInfo10* info, CodeGate& gate, uint64_t as_of_ns, uintptr_t ip);
  void Publish();
  // Drain thread: something was learned since the last call.
  bool TakeNews() { return std::exchange(has_news_, false); }

  // Any thread: some code was unloaded, and any of it may have changed.
  void Forget();
  // Any thread: only this region. No walk goes through it until it contains other code. Never
  // waits.
  void Forget(const CodeRegion& region);
  // Drain thread. True: something was forgotten since the last call.
  bool StartAnewIfForgotten();
  // Drain thread. How often everything was forgotten, including when the tables were full.
  uint32_t starts() const { return starts_; }

  struct Found {
    bool known = false;
    UnwindStep step;
    uint32_t frame_words = 0;      // from the stack pointer to the CFA in the body, in words
    uintptr_t start = 0, end = 0;  // of the body's region
  };
  // Any thread, in a signal handler during a walk. `ip` is an instruction, not a return address.
  Found Find(uintptr_t ip) const;

 private:
  static constexpr size_t kMaxBodies = 32u << 10;
  static constexpr size_t kMaxRows = 64u << 10;
  static constexpr size_t kMaxUnknown = 4096;

  // A region of a method body.
  struct Body {
    uintptr_t start;
    mutable uint32_t size;  // 0: forgotten; any thread may write it
    uint32_t first_row : 24;
    uint32_t row_count : 8;
  };
  static_assert(sizeof(Body) == 16);
  struct Table {
    uint32_t count;
    Body bodies[kMaxBodies];  // ascending
  };
  struct Memory {
    Table tables[2];  // the published one and the spare
    UnwindRow rows[kMaxRows];
  };

  static uint32_t SizeOf(const Body& body);
  static const Body* FindIn(std::span<const Body> bodies, uintptr_t ip);
  bool HasBody(uintptr_t ip) const;
  void AddUnknown(uintptr_t ip);
  bool Learn(uintptr_t start, uint32_t size, std::span<const UnwindRow> rows);
  bool Intern(std::span<const UnwindRow> rows, Body& body);
  static void Drop(std::span<Body> bodies, const CodeRegion& region);
  void DropForgotten();
  void StartAnew();
  bool IsReady();

  const Walks& walks_;
  Memory* memory_ = nullptr;
  std::atomic<const Table*> published_{nullptr};
  std::atomic<uint32_t> forgets_{0};
  ForgottenRegions forgotten_;  // reported, but may still be in the tables

  // Drain thread.
  std::vector<Body> pending_;                    // learned but not yet published, ascending
  std::unordered_set<uintptr_t> unknown_;        // sampled addresses that are in no body known to
                                                 // the runtime
  std::unordered_map<uint64_t, Body> interned_;  // by hash: locations of equal rows
  const Table* last_ = nullptr;                  // published, or empty
  bool spare_is_free_ = true;                    // no walk uses the table that is not published
  bool starts_anew_ = false;                     // no row may be written yet
  uint32_t row_count_ = 0;
  uint32_t starts_ = 0;
  uint32_t seen_forgets_ = 0;
  uint64_t published_ns_ = 0;
  bool has_news_ = false;
  bool dropped_ = false;  // a region, since the last StartAnewIfForgotten
};

}  // namespace hindsight::recorder
