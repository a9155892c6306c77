// The kind of leak that an accumulation would be, depending on how it is held.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/analyses/heap/accumulations.h"
#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/analyses/references/owner_path.h"

namespace hindsight::analyzer {

struct AccumulationTraits {
  LeakKind kind = LeakKind::kCollection;
  std::string name;     // LeakSuspect::kind_name
  std::string subject;  // the event, or the field of the collection: PriceFeed.PriceChanged
  ObjectId container = kNoObject;  // the framework's collection, if one holds the accumulation
  bool is_local = false;           // the collection is a local of a running method

  // The subject, or if there is none: an array.
  std::string Subject() const;
};

// `path` leads to contents.chain.back(), and its step `place` to the accumulation's own object.
// `nested`: so many steps from there on tell the kind (AccumulationContents).
AccumulationTraits ClassifyAccumulation(const HeapModel& model, const SlotNames& names,
                                        const Accumulation& accumulation, const OwnerPath& path,
                                        size_t place, size_t nested);

// What a collection's own counters, if recorded, say about its past.
struct CollectionPast {
  enum class Kind : uint8_t { kUnknown, kOnlyGrew, kEntriesLeft };
  Kind kind = Kind::kUnknown;
  std::string sentence;  // empty if unknown

  std::string Clause() const;  // the sentence as a part of another one
};
CollectionPast PastOf(const HeapModel& model, ObjectId container);

// What to do about it: a sentence. `name`: LeakSuspect::kind_name.
std::string AdviceFor(LeakKind kind, std::string_view name);

}  // namespace hindsight::analyzer
