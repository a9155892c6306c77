// A bounded, evenly thinned-out series of rows: when full, every second one is dropped, and from
// then on only every second one is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hindsight::analyzer {

template <typename Row>
class ThinnedRows {
 public:
  explicit ThinnedRows(size_t limit) : limit_(limit) {}  // 2 or more

  void Add(const Row& row) {
    if (count_++ % stride_ != 0) return;
    if (rows_.size() == limit_) {
      for (size_t i = 1; 2 * i < rows_.size(); ++i) rows_[i] = rows_[2 * i];
      rows_.resize((rows_.size() + 1) / 2);
      stride_ *= 2;
      if ((count_ - 1) % stride_ != 0) return;
    }
    rows_.push_back(row);
  }

  std::vector<Row> Take() { return std::move(rows_); }

 private:
  const size_t limit_;
  uint64_t count_ = 0;
  uint64_t stride_ = 1;
  std::vector<Row> rows_;
};

}  // namespace hindsight::analyzer
