// The kind of code a method is, for reports that put your own code first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

enum class CodeKind : uint8_t {
  kNotSeen,      // not looked at yet
  kPlain,        // someone's code, the framework's included
  kAsyncStart,   // machinery that runs the first part of an async method, on its caller's stack
  kAsyncResume,  // machinery that runs the rest of an async method after an await
  kPlumbing,     // other machinery of tasks and async methods: see naming::IsPlumbing
  kPool,         // the pool's loop
  kThreadStart,  // what stands between the system's start of a thread and its method
  kStub,         // between managed and native code
  kNative,       // of a module of the system's
  kRuntime,      // native: of the runtime
  kJit,          // native: the compiler
  kCollector,    // native: the collector
};

inline bool IsNative(CodeKind kind) { return kind >= CodeKind::kNative; }
// Left out of paths unless asked for.
inline bool IsFolded(CodeKind kind) {
  return kind == CodeKind::kAsyncStart || kind == CodeKind::kAsyncResume ||
         kind == CodeKind::kPlumbing || kind == CodeKind::kThreadStart || kind == CodeKind::kStub;
}

// Made once for each method. One thread.
class CodeKinds {
 public:
  // `dictionaries` outlives this.
  explicit CodeKinds(const Dictionaries& dictionaries) : dictionaries_(dictionaries) {}
  CodeKind Of(MethodId method);

 private:
  CodeKind Find(const Method& method) const;

  const Dictionaries& dictionaries_;
  std::vector<CodeKind> kinds_;
};

}  // namespace hindsight::analyzer
