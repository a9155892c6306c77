// The kind of code that a method is, for reports that put your own code first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

enum class CodeKind : uint8_t {
  kNotSeen,      // not determined yet
  kPlain,        // someone's code, including the framework's
  kAsyncStart,   // machinery that runs the first part of an async method, on its caller's stack
  kAsyncResume,  // machinery that runs the rest of an async method after an await
  kPlumbing,     // other machinery of tasks and async methods: see naming::IsPlumbing
  kPool,         // the pool's loop
  kThreadStart,  // frames between the system's start of a thread and its method
  kStub,         // between managed and native code
  kNative,       // in a native module
  kRuntime,      // native: of the runtime
  kJit,          // native: the JIT
  kCollector,    // native: the garbage collector
};

inline bool IsNative(CodeKind kind) { return kind >= CodeKind::kNative; }
// Left out of paths unless asked for.
inline bool IsFolded(CodeKind kind) {
  return kind == CodeKind::kAsyncStart || kind == CodeKind::kAsyncResume ||
         kind == CodeKind::kPlumbing || kind == CodeKind::kThreadStart || kind == CodeKind::kStub;
}

// Determined once for each method. Not thread-safe.
class CodeKinds {
 public:
  // `dictionaries` must outlive this.
  explicit CodeKinds(const Dictionaries& dictionaries) : dictionaries_(dictionaries) {}
  CodeKind Of(MethodId method);

 private:
  CodeKind Find(const Method& method) const;

  const Dictionaries& dictionaries_;
  std::vector<CodeKind> kinds_;
};

}  // namespace hindsight::analyzer
