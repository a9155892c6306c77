// A value, or what happened instead and what the user can do about it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "trigger/exit_code.h"

namespace hindsight::trigger {

struct Failure {
  TriggerExit code = TriggerExit::kInternal;
  std::string what;  // sentences: what happened and where
  std::string next;  // sentences: what to do; may be empty
};

template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(Failure failure) : failure_(std::move(failure)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  // Only when !ok().
  const Failure& failure() const { return failure_; }

 private:
  std::optional<T> value_;
  Failure failure_;
};

// Nothing, or the first problem found.
using Check = std::optional<Failure>;

}  // namespace hindsight::trigger
