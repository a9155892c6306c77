// Decides which rules of the options (contract/rules.h) hold, from facts sampled once a second. A
// rule fires at most rules.most times, and at least rules.every apart. The rule about unhandled
// exceptions is not among them: when it holds, it is too late for a check once a second
// (RecordingWriter::MarkUnhandled).
//
// One thread. No side effects: the caller provides the facts and acts.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "recorder/contract/options.h"

namespace hindsight::recorder {

struct RuleFacts {
  uint64_t now_ns = 0;              // CLOCK_MONOTONIC
  uint64_t memory_bytes = 0;        // resident; 0: unknown
  uint64_t memory_limit_bytes = 0;  // that the process may have; 0: unknown
  uint64_t heap_bytes = 0;          // after the last collection; 0: unknown
  // Since the start:
  uint64_t cpu_ns = 0;  // of the process
  uint64_t throws = 0;
  uint64_t starvations = 0;
};

// How often a rule has fired, and when: at most rules.most times, and at least rules.every apart.
class RuleLimit {
 public:
  // Whether it may fire now; then it counts as fired.
  bool Fire(const contract::Options& options, uint64_t now_ns);
  // Whether it last fired that long ago; false: it has not fired.
  bool HasRested(uint64_t ns, uint64_t now_ns) const { return rests_ && now_ns - fired_ns_ >= ns; }
  // What it fired for was a false alarm: it need not rest, and the first few do not count.
  void FalseAlarm();
  bool IsOver(const contract::Options& options) const { return fired_ == options.rules_most; }

 private:
  uint64_t fired_ns_ = 0;
  uint32_t fired_ = 0;
  uint32_t forgiven_ = 0;
  bool rests_ = false;
};

class RuleWatch {
 public:
  // `options` outlives this.
  explicit RuleWatch(const contract::Options& options);

  struct Fired {
    const contract::Rule* rule;
    std::string what;  // what was observed: "97 % of a core over 30 s"
    bool is_last;      // it has fired rules.most times
  };
  std::vector<Fired> Look(const RuleFacts& facts);

 private:
  struct Sample {
    uint64_t at_ns, total;
  };
  struct Watched {
    const contract::Rule* rule = nullptr;
    std::deque<Sample> samples;  // for a rate: those within its averaging time, and one before
    uint64_t starvations = 0;    // seen so far
    RuleLimit limit;
  };

  // What was observed if the rule holds; empty: it does not.
  static std::string Holds(Watched& watched, const RuleFacts& facts);
  static std::string MemoryHolds(const contract::Rule& rule, const RuleFacts& facts);
  static std::string RateHolds(Watched& watched, uint64_t now_ns, uint64_t total);

  const contract::Options& options_;
  std::vector<Watched> watched_;
};

}  // namespace hindsight::recorder
