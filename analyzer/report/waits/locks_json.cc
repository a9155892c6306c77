#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/path_variants.h"
#include "analyzer/report/waits/locks_fields.h"
#include "analyzer/report/waits/locks_report.h"

namespace hindsight::analyzer {
namespace {

std::optional<std::string> IdOrNull(uint64_t id) {
  if (id == 0) return std::nullopt;
  return LockIdText(id);
}

// Of the oldest unfinished wait or, if there is none, of the longest wait.
uint32_t OwnerOf(const WaitPlace& place) {
  return place.open.empty() ? place.group.longest_owner : place.open.front()->owner;
}
StackId OwnerStackOf(const WaitPlace& place) {
  return place.open.empty() ? place.group.longest_owner_stack : place.open.front()->owner_stack;
}

std::span<const WaitVariant> OtherStacks(const WaitPlace& place) {
  const std::span<const WaitVariant> all = place.variants;
  return all.subspan(1, std::min(all.size() - 1, kOtherPathsInJson));
}

std::string HolderText(const LockHolder& holder, const LockReport& report) {
  const std::string site = Printable(report.names.Display(holder.site));
  return holder.doing == 0 ? site : site + ", in " + Printable(report.names.Display(holder.doing));
}

Object<WaitVariant, LockReport> OtherStackFields() {
  return {
      {"count", "How many waits", &WaitVariant::count},
      {"total_ns", "In total", &WaitVariant::total_ns},
      {"stack", "Methods, innermost first", StackAt(&WaitVariant::path)},
  };
}

}  // namespace

Object<WaitPlace, LockReport> WaitPlaceFields() {
  return {
      {"kind", "What is waited for: monitor, task, wait handle, ...",
       [](auto& place) { return WaitName(place.group.kind, place.call.kind); },
       TextColumn("for a")},
      {"count", "How many waits", &WaitPlace::count, TextColumn("waits")},
      {"not_ended", "Part of count still waiting at the end of the recording",
       [](auto& place) { return place.open.size(); }, TextColumn("not ended").BlankZero()},
      {"total_ns", "In total, at most until the end of the recording", &WaitPlace::total_ns,
       TextColumn("total")},
      {"longest_ns", "The longest", &WaitPlace::longest_ns, TextColumn("longest")},
      {"site", "The place: the innermost method of your assemblies, or else of others",
       MethodAt(&WaitPlace::site), TextColumn("waits in").First().Shrinks()},
      {"through", "The framework call that waited; null: the wait itself",
       MethodOrNull(&WaitPlace::through)},
      {"stack", "Methods, innermost first", StackAt(&WaitPlace::path)},
      {"stacks", "How many stacks wait in the place",
       [](auto& place) { return place.variants.size(); }},
      {"other_stacks", "Other stacks with the most time", OtherStackFields(), &OtherStacks},
      {"owner", "Owner during the longest wait; null: unknown", ThreadFields(), ThreadAt(&OwnerOf)},
      {"owner_stack", "Stack of the owner; empty: unknown", StackAt(&OwnerStackOf)},
  };
}

Object<HotLock, LockReport> HotLockFields() {
  return {
      {"lock", "The runtime's id", [](auto& lock) { return LockIdText(lock.lock); },
       TextColumn("lock")},
      {"kind", "monitor or lock",
       [](auto& lock) { return WaitName(lock.kind, BlockingCall::Kind::kNone); },
       TextColumn("kind")},
      {"count", "How many waits", &HotLock::count, TextColumn("waits")},
      {"total_ns", "In total", &HotLock::total_ns, TextColumn("total")},
      {"mean_ns", "On average",
       [](auto& lock) { return lock.total_ns / std::max<uint64_t>(1, lock.count); },
       TextColumn("mean")},
      {"longest_ns", "The longest", &HotLock::longest_ns, TextColumn("longest")},
      {"waiters_at_most", "Most waiters at once", &HotLock::waiters_at_most, TextColumn("at once")},
      {"site", "The place that waited most for it; null: unknown", MethodOrNull(&HotLock::site),
       TextColumn("waited for in").First().Shrinks()},
  };
}

namespace {

Object<HolderGroup> HolderGroupFields() {
  return {
      {"count", "How many waits", &HolderGroup::count, TextColumn("waits")},
      {"total_ns", "In total", &HolderGroup::total_ns, TextColumn("total")},
      {"longest_ns", "The longest", &HolderGroup::longest_ns, TextColumn("longest")},
  };
}

}  // namespace

Object<LockHolder, LockReport> LockHolderFields() {
  return {
      {TextColumn("owner in").Shrinks(), &HolderText},
      {HolderGroupFields(), &LockHolder::group},
      {"site", "The place: the innermost method of yours, or else one that is not infrastructure",
       MethodAt(&LockHolder::site)},
      {"doing", "The framework method it was in; null: the place itself",
       MethodOrNull(&LockHolder::doing)},
      {"stack", "Methods, innermost first", StackAt(&LockHolder::path)},
  };
}

namespace {

struct OpenRow : OpenWait {
  std::vector<MethodId> path;
  std::string_view kind_name;
};

Object<OpenRow, LockReport> OpenRowFields() {
  return {
      {"id", "Number within the recording", &OpenRow::id},
      {"kind", "What is waited for", &OpenRow::kind_name},
      {"thread", "Who waits; null: unknown", ThreadFields(), ThreadAt(&OpenRow::thread)},
      {"owner", "Who holds it; null: unknown", ThreadFields(), ThreadAt(&OpenRow::owner)},
      {"lock", "The runtime's id; null: unknown", [](auto& row) { return IdOrNull(row.lock); }},
      {"object", "Address of the object; null: unknown",
       [](auto& row) { return IdOrNull(row.object); }},
      {"since_ns", "Since when", &OpenRow::start_ns},
      {"age_ns", "How long, up to the end of the recording",
       [](auto& row, auto& report) {
         return std::max<int64_t>(0, report.model->facts.last_ns - row.start_ns);
       }},
      {"stack", "Methods, innermost first", StackAt(&OpenRow::path)},
      {"owner_stack", "Stack of the owner; empty: unknown", StackAt(&OpenRow::owner_stack)},
  };
}

std::vector<const WaitPlace*> AllPlaces(const LockReport& report) {
  std::vector<const WaitPlace*> places;
  for (const WaitPlace& place : report.locks) places.push_back(&place);
  for (const WaitPlace& place : report.signals) places.push_back(&place);
  std::stable_sort(places.begin(), places.end(), [](const WaitPlace* a, const WaitPlace* b) {
    return a->total_ns() > b->total_ns();
  });
  return places;
}

std::vector<OpenRow> OpenRows(const LockReport& report) {
  const BlockingCalls calls(report.model->dictionaries);
  std::vector<OpenRow> rows;
  for (const WaitPlace* place : AllPlaces(report)) {
    for (const OpenWait* wait : place->open) {
      std::vector<MethodId> path = WaitPath(report.model->dictionaries, wait->stack);
      const std::string_view kind = WaitName(wait->kind, calls.Find(path).kind);
      rows.push_back({*wait, std::move(path), kind});
    }
  }
  std::sort(rows.begin(), rows.end(), [](const OpenRow& a, const OpenRow& b) {
    return std::pair(a.start_ns, a.id) < std::pair(b.start_ns, b.id);
  });
  return rows;
}

Object<LockReport, LockReport> LocksFields() {
  return {
      HeadFields("locks"),
      {"recording", "", RecordingFields(), kItsModel},
      {"waits", "By place, most time first", WaitPlaceFields(), &AllPlaces},
      {"locks", "By lock, most time first", HotLockFields(), &LockReport::hottest},
      {"holders", "What owners were doing, sampled", LockHolderFields(), &LockReport::holders},
      {"open", "Unfinished waits, oldest first", OpenRowFields(), &OpenRows},
  };
}

}  // namespace

std::string LocksJson(const LockReport& report) { return JsonOf(LocksFields(), report); }

SharedShape LocksShape() { return LocksFields().shape(); }

}  // namespace hindsight::analyzer
