// Rules of a recording: what the recorder does by itself when a condition holds.
//
//   CONDITION:ACTION
//
//   memory>SIZE               resident memory of the process
//   memory>N%                 the same, as a share of its control group's memory limit, or of the
//                             machine's memory where there is no limit
//   heap>SIZE                 the garbage collector's heap, after a collection (source gc)
//   cpu>N%[/DURATION]         CPU time, averaged over the duration (10s); 100% is one core
//   exceptions/s>N[/DURATION] throws per second, averaged over the duration (5s)
//                             (source exceptions)
//   pool.starves              the runtime adds pool threads because of starvation (source locks)
//   unhandled                 an exception that seems to be unhandled, or an error for which the
//                             runtime ends the process, such as Environment.FailFast or a stack
//                             overflow (source exceptions). A snapshot, for exceptions only, holds
//                             up the thread that threw until it is on disk, 30 s at most; no
//                             :threads, since a heap snapshot has their stacks
//
//   mark                      a mark in the recording
//   threads                   a thread snapshot (source waits), and the mark
//   snapshot                  a heap snapshot, and the mark
//
// Pure functions: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hindsight::contract {

enum class RuleSubject : uint8_t { kMemory, kHeap, kCpu, kExceptions, kPoolStarves, kUnhandled };
enum class RuleAction : uint8_t { kMark, kThreads, kSnapshot };

struct Rule {
  RuleSubject subject = RuleSubject::kMemory;
  // The rule holds above this: bytes; CPU time in ns per second; throws per second. Starvation and
  // unhandled: 0.
  uint64_t limit = 0;
  uint64_t limit_percent = 0;  // in place of `limit`: of the memory that the process may have
  uint64_t for_ns = 0;         // averaging time of a rate; 0: not a rate
  RuleAction action = RuleAction::kMark;
  std::string text;  // as written in the options
};

// Returns an empty string and fills `out`, or the end of a sentence that starts with the rule.
std::string ParseRule(std::string_view text, Rule& out);

}  // namespace hindsight::contract
