// Recorded thread ids -> their rows in the model.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// At most kMaxThreads: those beyond count as refused, and map to the unknown thread.
class ThreadTable {
 public:
  explicit ThreadTable(Model& model) : model_(model) {}

  // 0 stays 0; a new id gets a new row.
  ThreadIndex Of(uint32_t id) {
    if (id == 0) return 0;
    const auto known = index_.find(id);
    if (known != index_.end()) return known->second;
    if (model_.threads.size() > kMaxThreads) {
      ++model_.losses.refused;
      return 0;
    }
    const auto row = static_cast<ThreadIndex>(model_.threads.size());
    index_.emplace(id, row);
    model_.threads.push_back({.id = id});
    return row;
  }

 private:
  static constexpr size_t kMaxThreads = size_t{1} << 20;

  Model& model_;
  std::unordered_map<uint32_t, ThreadIndex> index_;
};

}  // namespace hindsight::analyzer
