// The frames of call paths in reports: methods by name, or notes in their place.
//
// Methods of one name are one frame: instantiations that look alike, overloads, and an async method
// with the stub that starts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

// Behind the name of an inlined method.
inline constexpr std::string_view kInlinedMark = " (inlined)";

using FrameId = uint32_t;  // index into PathFrames; 0: the thread's root

struct PathFrame {
  enum class Kind : uint8_t {
    kMethod,
    kNative,  // code of a module of the system's, or of the runtime's
    kNote,    // in brackets: what is folded, or what could not be seen
  };
  std::string name;
  std::string line;            // "Order.cs:12"; empty where lines are not asked for, or not known
  MethodId method = 0;         // the first of that name; 0: none
  bool inlined = false;        // mostly in the code of its callers
  bool hides_inlined = false;  // of most of its own time it is not known what was inlined there
  Kind kind = Kind::kMethod;

  std::string Label() const { return inlined ? name + std::string(kInlinedMark) : name; }
};

class PathFrames {
 public:
  PathFrames() : frames_(1) {}

  // The frame of this name and line; a new one if there is none yet.
  FrameId Add(PathFrame frame);
  PathFrame& at(FrameId id) { return frames_[id]; }
  const PathFrame& operator[](FrameId id) const { return frames_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(frames_.size()); }

 private:
  std::vector<PathFrame> frames_;
  std::unordered_map<std::string, FrameId> index_;
};

}  // namespace hindsight::analyzer
