// What the JIT has inlined into the native bodies that it compiled, as the JIT itself reports it.
//
// For each body, it keeps a tree of the inlined methods, and which range of native offsets belongs
// to which of them. Bodies are identified by their start address; an unload may free it, so Forget
// is called at each. Bounded: a tree that would exceed the limit is not kept, and its body counts
// as unknown. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "recorder/clr/types.h"

namespace hindsight::recorder {

// A method and a place in it: that of the call to the next inlined method, or of the code itself.
struct InlinedPlace {
  clr::FunctionID function = 0;
  uint32_t il_offset = 0;
  bool operator==(const InlinedPlace&) const = default;
};

class InlineTree {
 public:
  // Parses the payload of the runtime's event JittedMethodRichDebugInfo, all chunks concatenated.
  // False: the payload is malformed, and the tree is empty.
  bool Read(std::span<const uint8_t> payload);

  bool has_inlined() const { return nodes_.size() > 1; }
  // Start of the place that contains `native_offset`: one place reaches up to the next.
  uint32_t PlaceOf(uint32_t native_offset) const;
  // From the body's own method to the innermost inlined one. Empty: the code is the body's own.
  std::vector<InlinedPlace> At(uint32_t native_offset) const;
  size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) + ranges_.capacity() * sizeof(Range);
  }

 private:
  static constexpr uint32_t kNoParent = UINT32_MAX;
  struct Node {
    clr::FunctionID function;
    uint32_t call_il_offset;  // in the parent
    uint32_t parent;          // kNoParent: the body's own method, or a node outside the tree
  };
  struct Range {
    uint32_t native_offset;  // where it begins
    uint32_t node;
    uint32_t il_offset;
  };

  const Range* RangeAt(uint32_t native_offset) const;

  std::vector<Node> nodes_;
  std::vector<Range> ranges_;  // by native offset
};

class InlineTrees {
 public:
  explicit InlineTrees(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // A chunk of the payload for the body at `start`. The chunks of a body come in order, and those
  // of one thread (`thread`) are not interleaved with chunks of other bodies.
  void Add(uint32_t thread, uintptr_t start, uint32_t chunk, bool last,
           std::span<const uint8_t> bytes);
  // A body into which nothing was inlined.
  void AddPlain(uintptr_t start);
  void Forget();

  // Null: nothing was reported about it.
  const InlineTree* Find(uintptr_t start) const;
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kBytesPerBody = 96;  // of the map
  static constexpr size_t kMaxPayload = 4u << 20;

  struct Pending {
    uintptr_t start = 0;
    uint32_t chunks = 0;
    std::vector<uint8_t> payload;
  };

  void Keep(uintptr_t start, InlineTree tree);

  const size_t limit_bytes_;
  size_t bytes_ = 0;
  std::unordered_map<uintptr_t, InlineTree> bodies_;
  std::unordered_map<uint32_t, Pending> pending_;  // by thread: payloads of several chunks
};

}  // namespace hindsight::recorder
