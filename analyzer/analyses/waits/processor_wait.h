// Whether threads were ready to run but had no processor: then other processes, or a limit, delayed
// the program, and how long something took says little about the program itself.
#pragma once

#include <string>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct ProcessorWaitRules {
  // On average over the time: at least this many threads were ready but not running, and the
  // process used at most this share of the processors that its threads could have used.
  double least_ready = 1;
  double most_used = 0.5;
  double least_ns = 2e9;  // a shorter time proves nothing
  // Or the process used at least this share of its container's limit. Not all of it: other
  // processes of the container use some, and the load varies.
  double limit_used = 0.75;
};

struct ProcessorWait {
  bool is_short = false;
  bool is_at_limit = false;
  double ready = 0, used = 0;  // threads, on average; 0: unknown
  // Of `ready`, without threads that had nothing to do or blocked on a task (yielding_threads.h).
  double ready_for_work = 0;
  double wanted = 0;  // processors that they could have used; 0: unknown
  double cpus = 0;    // available to the process; 0: unknown
  double limit = 0;   // of its container; 0: none

  // Whether the program gets on more slowly for that.
  bool delays_work() const {
    return is_short && ready_for_work >= ProcessorWaitRules().least_ready;
  }
};

ProcessorWait ProcessorWaitOf(const Model& model, const ProcessorWaitRules& rules = {});

// "on average 17 threads were ready to run, and the process got 0.2 of 2 CPUs"
std::string ProcessorWaitText(const ProcessorWait& wait);

}  // namespace hindsight::analyzer
