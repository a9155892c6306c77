// The dictionaries of one file as it is read: maps ids of the file to ids of the model.
//
// Starts over with every file. Entries refer to earlier entries; missing ones become 0 and are
// counted as dangling.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "analyzer/model/call_tree.h"
#include "analyzer/model/dictionaries.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Texts in a few large blocks; nothing is freed before Clear.
class TextArena {
 public:
  // A view that is valid until Clear; empty if `limit` bytes would be exceeded.
  std::string_view Add(std::string_view text, uint64_t limit);
  void Clear();

 private:
  static constexpr size_t kBlockBytes = 1u << 20;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t used_ = kBlockBytes;
  uint64_t total_ = 0;
};

// The symbol of a native function that the recorder had no name for; empty: unknown. `path` and
// `build_id` are those of its library, `rva` is where it starts.
using NativeNamer =
    std::function<std::string_view(std::string_view path, std::string_view build_id, uint64_t rva)>;

// id -> value, in chunks, so that an entry with a high id needs no memory for those below it.
template <typename T>
class SparseTable {
 public:
  void Put(uint32_t id, T value) {
    if (id / kChunk >= chunks_.size()) chunks_.resize(id / kChunk + 1);
    auto& chunk = chunks_[id / kChunk];
    if (!chunk) chunk = std::make_unique<std::array<T, kChunk>>();
    (*chunk)[id % kChunk] = value;
  }
  // A default value if nothing was put.
  T Get(uint32_t id) const {
    if (id / kChunk >= chunks_.size() || !chunks_[id / kChunk]) return T();
    return (*chunks_[id / kChunk])[id % kChunk];
  }
  void Clear() { chunks_.clear(); }

 private:
  static constexpr uint32_t kChunk = 1024;
  std::vector<std::unique_ptr<std::array<T, kChunk>>> chunks_;
};

class FileDictionary {
 public:
  // `calls` receives the paths that CallOf is asked for; null if it is never asked. `native_names`
  // must outlive this; null or empty: unnamed native functions stay unnamed.
  explicit FileDictionary(Dictionaries& model, CallTree* calls = nullptr,
                          const NativeNamer* native_names = nullptr)
      : model_(model), calls_(calls), native_names_(native_names) {}

  void StartFile();

  void Add(const hindsight::String& string);
  void Add(const hindsight::Module& module);
  void Add(const hindsight::Type& type);
  void Add(const hindsight::Method& method);
  void Add(const hindsight::Frame& frame);
  void Add(const hindsight::Stack& stack);

  // 0 stays 0.
  std::string_view Text(uint32_t id);
  StringId Name(uint32_t id);  // interned into the model
  TypeId TypeOf(uint32_t id) { return Look(types_, id); }
  MethodId MethodOf(uint32_t id) { return Look(methods_, id); }
  StackId StackOf(uint32_t id);
  // The stack with locations, one node per frame; consecutive unknown frames are merged. At most
  // kMaxStackDepth, from the innermost. Paths are only made when asked for, because most stacks
  // belong to events that do not need locations.
  CallId CallOf(uint32_t id);
  // The index of each frame of a stack, innermost first, in Dictionaries::Path(StackOf(id)), where
  // consecutive native frames are merged.
  std::vector<uint32_t> PlacesOf(uint32_t id) const;
  HandlerId HandlerOf(uint32_t frame);
  // Whether the module was generated at run time, or loaded from memory.
  bool IsGenerated(uint32_t module) const { return generated_modules_.Get(module) != 0; }

  uint64_t dangling() const { return dangling_; }

 private:
  struct FrameEntry {
    MethodId method = 0;
    int32_t il_offset = -1;
    bool known = false;
    bool inlined = false, hides_inlined = false;  // see CallNode
    MethodId contains = 0;                        // as StackEntry::inlined
  };

  struct StackEntry {
    StackId stack = 0;     // with an inlined method, that one
    uint32_t parent = 0;   // in the file
    uint32_t frame = 0;    // likewise
    CallId call = 0;       // 0: not asked for yet
    MethodId inlined = 0;  // into the frame's method: one that has no frame in the file
  };

  uint32_t Look(const SparseTable<uint32_t>& table, uint32_t id);
  MethodId InlinedInto(const hindsight::Method& dynamic_method);
  // Whether a frame of `method` on top of the stack `parent` takes the place of the inlined method
  // that was inserted there: it was not inlined, or the file says itself that it was.
  bool Replaces(MethodId method, uint32_t parent) const {
    return method != 0 && stacks_.Get(parent).inlined == method;
  }

  Dictionaries& model_;
  CallTree* const calls_;
  const NativeNamer* const native_names_;
  TextArena arena_;
  SparseTable<std::string_view> texts_;
  SparseTable<uint32_t> modules_;
  SparseTable<uint8_t> generated_modules_;
  SparseTable<uint32_t> types_;
  SparseTable<uint32_t> methods_;
  SparseTable<MethodId> inlined_;  // into dynamic methods; by the id in the file
  SparseTable<FrameEntry> frames_;
  SparseTable<StackEntry> stacks_;
  std::vector<uint32_t> path_;  // of CallOf
  uint64_t dangling_ = 0;
};

}  // namespace hindsight::analyzer
