// The frames of call paths in reports: methods by name, or notes instead.
//
// Methods with the same name are one frame: instantiations that look the same, overloads, and an
// async method with the stub that starts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

// Follows the name of an inlined method.
inline constexpr std::string_view kInlinedMark = " (inlined)";

using FrameId = uint32_t;  // index into PathFrames; 0: the thread's root

struct PathFrame {
  enum class Kind : uint8_t {
    kMethod,
    kNative,  // code of a native module, or of the runtime
    kNote,    // in brackets: what was folded, or could not be seen
  };
  std::string name;
  std::string line;            // "Order.cs:12"; empty if lines were not requested, or are unknown
  MethodId method = 0;         // the first with that name; 0: none
  bool inlined = false;        // mostly inlined into its callers
  bool hides_inlined = false;  // for most of its own time, it is unknown what was inlined there
  Kind kind = Kind::kMethod;

  std::string Label() const { return inlined ? name + std::string(kInlinedMark) : name; }
};

class PathFrames {
 public:
  PathFrames() : frames_(1) {}

  // The frame with this name and line; added if there is none yet.
  FrameId Add(PathFrame frame);
  PathFrame& at(FrameId id) { return frames_[id]; }
  const PathFrame& operator[](FrameId id) const { return frames_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(frames_.size()); }

 private:
  std::vector<PathFrame> frames_;
  std::unordered_map<std::string, FrameId> index_;
};

}  // namespace hindsight::analyzer
