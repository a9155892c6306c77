// Individual waits of threads, as long as there is room: when there are kMaxSpans, the shorter half
// of them is summed up by thread, kind, lock and stack, with the span of time that contains them.
//
// At most kMaxSums sums; beyond that, waits count as refused. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

class WaitSpans {
 public:
  static constexpr size_t kMaxSpans = size_t{1} << 17;
  static constexpr size_t kMaxSums = size_t{1} << 16;

  explicit WaitSpans(size_t max_spans = kMaxSpans) : max_spans_(max_spans) {}

  void Add(const WaitSpan& span);
  void Add(const WaitSum& sum);
  // Fills `spans` and `span_sums`, and adds to `refused`.
  void Finish(Waits& waits);

 private:
  using Key = std::tuple<uint32_t, WaitKind, StackId, uint64_t>;
  using Batch = std::map<Key, WaitSum>;

  void SumUpShorter();
  void Add(Batch& batch, const WaitSum& sum);

  const size_t max_spans_;
  std::vector<WaitSpan> spans_;
  std::vector<WaitSum> sums_;
  Batch rest_;  // when there is no room for more of sums_
  uint64_t refused_ = 0;
};

}  // namespace hindsight::analyzer
