// Requests -> model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/model/requests.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start, within 2^60 of it.
class RequestBuilder {
 public:
  explicit RequestBuilder(Requests& requests) : requests_(requests) {}

  void On(const RequestCounts& counts, int64_t time_ns);
  // `tags`: the text that the packet refers to.
  void On(const RequestDurations& durations, std::string_view tags, int64_t time_ns);
  // Orders the rows by time; no calls may follow.
  void Finish();

 private:
  void Append(const RequestSample& row);
  void Halve();

  RequestKind* KindOf(RequestKind::Side side, std::string_view tags);

  Requests& requests_;
  std::map<std::pair<RequestKind::Side, std::string>, size_t> kinds_;  // index into Requests::kinds
};

}  // namespace hindsight::analyzer
