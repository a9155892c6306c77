// Edges of a HeapTree as numbers, and their names: slots and roots.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"

namespace hindsight::analyzer {

// Not thread-safe.
class HeapEdges {
 public:
  HeapEdges(const HeapModel& model, const SlotNames& names) : model_(&model), names_(&names) {}

  uint64_t Of(SlotKey key) { return Number(key, names_key_, Kind::kSlot); }
  // `root`: nullptr if unknown.
  uint64_t Of(const HeapRoot* root) {
    const RootKey key =
        root == nullptr ? RootKey{RootKind::kOther, 0} : RootKey{root->kind, root->method};
    return Number(key, root_key_, Kind::kRoot);
  }
  uint64_t None() const { return 0; }

  std::string Name(uint64_t edge) const;

 private:
  using RootKey = std::pair<RootKind, MethodId>;
  enum class Kind : uint8_t { kSlot, kRoot };
  struct Entry {
    Kind kind = Kind::kSlot;
    SlotKey slot;
    RootKey root;
  };

  static void Fill(Entry& entry, SlotKey key) { entry.slot = key; }
  static void Fill(Entry& entry, RootKey key) { entry.root = key; }
  template <typename Key>
  uint64_t Number(const Key& key, std::map<Key, uint64_t>& index, Kind kind) {
    const auto [place, is_new] = index.try_emplace(key, entries_.size());
    if (is_new) {
      entries_.push_back({.kind = kind, .slot = {}, .root = {}});
      Fill(entries_.back(), key);
    }
    return place->second;
  }

  const HeapModel* model_;
  const SlotNames* names_;
  std::vector<Entry> entries_{1};  // [0]: None
  std::map<SlotKey, uint64_t> names_key_;
  std::map<RootKey, uint64_t> root_key_;
};

}  // namespace hindsight::analyzer
