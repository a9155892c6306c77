// Collections and suspensions -> model.
#pragma once

#include <cstdint>

#include "analyzer/model/collections.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start, within 2^60 of it.
class CollectionBuilder {
 public:
  explicit CollectionBuilder(GarbageCollections& facts) : facts_(facts) {}

  void On(const GarbageCollection& collection, int64_t time_ns);
  void On(const Suspension& suspension, int64_t time_ns);
  void OnCall(StackId stack, int64_t time_ns);
  // Orders the rows by time, and sets the pause of each collection.
  void Finish();

 private:
  GarbageCollections& facts_;
};

// Sets pause_ns of `rows`; both are ordered by time. A suspension for a collection belongs to the
// collection that begins in it; if several begin, each gets the part from its beginning to the next
// one's (a background collection begins with a blocking one of the young generations). If none
// begins, the suspension belongs to the youngest collection in progress, like the last pause of a
// background collection.
void AttributePauses(std::vector<CollectionRow>& rows, const std::vector<SuspensionRow>& pauses);

}  // namespace hindsight::analyzer
