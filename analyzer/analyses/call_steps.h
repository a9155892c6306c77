// All caller-to-callee steps in a recording: those of samples, with their locations, and those on
// the stacks of other events.
#pragma once

#include <cstdint>

#include "analyzer/model/call_tree.h"
#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

// A CallId, or 0; or CallTree::size() - 1 plus a StackId from 1.
using StepId = uint32_t;

class CallSteps {
 public:
  // Both must outlive this.
  CallSteps(const Dictionaries& dictionaries, const CallTree& calls)
      : calls_(calls), dictionaries_(dictionaries), bias_(calls_.size() - 1) {}

  // Steps are 1 to size() - 1; 0 is the root of all.
  uint32_t size() const { return bias_ + dictionaries_.stack_count(); }

  StepId parent(StepId step) const {
    if (step <= bias_) return calls_.node(step).parent;
    const StackId parent = dictionaries_.stack(step - bias_).parent;
    return parent == 0 ? 0 : bias_ + parent;
  }
  MethodId method(StepId step) const {
    return step <= bias_ ? calls_.node(step).method : dictionaries_.stack(step - bias_).method;
  }
  int32_t il_offset(StepId step) const { return step <= bias_ ? calls_.node(step).il_offset : -1; }
  bool inlined(StepId step) const { return step <= bias_ && calls_.node(step).inlined; }
  bool has_inlining() const { return calls_.has_inlining(); }  // in any step
  bool hides_inlined(StepId step) const { return step <= bias_ && calls_.node(step).hides_inlined; }

 private:
  const CallTree& calls_;
  const Dictionaries& dictionaries_;
  const uint32_t bias_;
};

}  // namespace hindsight::analyzer
