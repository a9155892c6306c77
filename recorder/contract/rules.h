// Rules of a recording: what the recorder does by itself once something is true of the process.
//
//   CONDITION:ACTION
//
//   memory>SIZE               resident memory of the process
//   heap>SIZE                 the garbage collector's heap, after a collection (source gc)
//   cpu>N%[/DURATION]         CPU time, on average over the duration (10s); 100% is one core
//   exceptions/s>N[/DURATION] throws a second, on average over the duration (5s) (source
//   exceptions) pool.starves              the runtime adds pool threads because of starvation
//   (source locks)
//
//   mark                      a mark in the recording
//   threads                   a snapshot of all threads (source waits), and the mark
//   snapshot                  a heap snapshot, and the mark
//
// Pure functions: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hindsight::contract {

enum class RuleSubject : uint8_t { kMemory, kHeap, kCpu, kExceptions, kPoolStarves };
enum class RuleAction : uint8_t { kMark, kThreads, kSnapshot };

struct Rule {
  RuleSubject subject = RuleSubject::kMemory;
  // Above it the rule holds: bytes; CPU time in ns a second; throws a second. Of starvation: 0.
  uint64_t limit = 0;
  uint64_t for_ns = 0;  // over which a rate is averaged; 0: it is none
  RuleAction action = RuleAction::kMark;
  std::string text;  // as it was written
};

// Returns an empty string and fills `out`, or the end of a sentence that began with the rule.
std::string ParseRule(std::string_view text, Rule& out);

}  // namespace hindsight::contract
