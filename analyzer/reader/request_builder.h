// Requests -> model.
#pragma once

#include <cstdint>

#include "analyzer/model/requests.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start, within 2^60 of it.
class RequestBuilder {
 public:
  explicit RequestBuilder(Requests& requests) : requests_(requests) {}

  void On(const RequestCounts& counts, int64_t time_ns);
  // Orders the rows by time; nothing may come afterwards.
  void Finish();

 private:
  void Append(const RequestSample& row);
  void Halve();

  Requests& requests_;
};

}  // namespace hindsight::analyzer
