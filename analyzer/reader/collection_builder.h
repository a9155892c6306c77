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
  // Orders the rows by time, and gives each collection its pause.
  void Finish();

 private:
  GarbageCollections& facts_;
};

// Gives `rows` their pause_ns; both are ordered by time. A suspension for the sake of a collection
// belongs to the collection that begins in it: of several, to each from its beginning to the next
// one's (a background collection begins with a blocking one of the young generations). One in which
// none begins belongs to the youngest that is going on, as the last pause of a background
// collection does.
void AttributePauses(std::vector<CollectionRow>& rows, const std::vector<SuspensionRow>& pauses);

}  // namespace hindsight::analyzer
