// Expected-style results: a value, or an error in the form of a sentence for the user.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace hindsight::analyzer {

// Of the `hindsight` binary; `hindsight --help` explains them to the user.
enum class ExitCode : int {
  kOk = 0,
  kDamageFound = 1,    // `verify` found damage or losses
  kUnusableInput = 2,  // the input is not a recording, or cannot be read
  kUsage = 64,         // the command line is wrong
};

struct Error {
  std::string sentence;  // what happened, where, what to do next; without a newline at the end
  ExitCode exit_code = ExitCode::kUnusableInput;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), *std::get_if<0>(&state_); }
  const T& value() const& { return assert(ok()), *std::get_if<0>(&state_); }
  T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return assert(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const { return assert(!ok_), error_; }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace hindsight::analyzer
