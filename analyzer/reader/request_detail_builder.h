// Individual requests -> model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/model/request_details.h"
#include "analyzer/model/thinned_samples.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/thread_table.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start, within 2^60 of it.
class RequestDetailBuilder {
 public:
  // All must outlive this.
  RequestDetailBuilder(RequestDetails& details, FileDictionary& file, ThreadTable& threads)
      : details_(details), file_(file), threads_(threads) {}

  void On(const ServedRequest& request, int64_t time_ns);
  void On(const OutsideCalls& outside, int64_t time_ns);

 private:
  // In microseconds from the request's start.
  struct Interval {
    int64_t from = 0, to = 0;
  };
  // What one request did of one kind, at any place.
  struct Doing {
    uint64_t count = 0;
    std::vector<Interval> intervals;
  };

  // Null if there is no room for more.
  RequestPartGroup* GroupOf(uint32_t route, const RequestPart& part);
  static void AddStack(RequestPartGroup& group, StackId stack, uint64_t count);
  // Adds one part of a request to its group; `doing` is keyed by group.
  uint64_t AddPart(uint32_t route, const RequestPart& part,
                   std::map<RequestPartGroup*, Doing>& doing, std::vector<Interval>& intervals);
  static void Sum(RequestPartGroup& group, Doing& doing, uint64_t duration_ns);
  void KeepSlowest(const SingleRequest& request);

  RequestDetails& details_;
  FileDictionary& file_;
  ThreadTable& threads_;
  ThinnedSamples<SingleRequest> single_{details_.single, RequestDetails::kMaxSingle};
  std::unordered_map<std::string, uint32_t> routes_;
  std::map<std::tuple<uint32_t, RequestPartKind, std::string>, size_t> groups_;
};

}  // namespace hindsight::analyzer
