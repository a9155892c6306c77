#include <algorithm>

#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

template <typename Counter>
std::optional<size_t> MostFrequent(const Counter& counter) {
  const auto& entries = counter.entries();
  if (entries.empty()) return {};
  const auto most =
      std::max_element(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return a.count < b.count; });
  return static_cast<size_t>(most - entries.begin());
}

std::optional<std::string_view> MessageOf(const ExceptionGroup& group) {
  const auto most = MostFrequent(group.messages);
  if (!most || *most >= group.message_texts.size()) return {};
  return group.message_texts[*most];
}

std::optional<uint32_t> CatcherOf(const ExceptionGroup& group, const RowContext& in) {
  const auto most = MostFrequent(group.handlers);
  if (!most) return {};
  const auto& handler = in.model->dictionaries.handler(group.handlers.entries()[*most].key);
  return Known(in.names->OfMethod(handler.method));
}

// How many ended in one of `endings`.
template <typename... Endings>
auto EndedAs(Endings... endings) {
  return [=](const ExceptionGroup& group) { return (group.EndedAs(endings) + ...); };
}

SqlTable<ExceptionGroup> Exceptions() {
  return {"exceptions",
          "Exceptions, one row per type and path",
          TableSource::kEvents,
          1,
          {Numbered<ExceptionGroup>("exception"),
           {"type", "", TypeOf(&ExceptionGroup::type)},
           {"stack", "of the first throw", StackOf(&ExceptionGroup::stack)},
           {"count", "exceptions, without rethrows", &ExceptionGroup::count},
           {"throws", "rethrows and awaits included", &ExceptionGroup::Throws},
           {"unhandled", "part of count, like the next five", EndedAs(Ending::kUnhandled)},
           {"in_flight", "their end was not recorded", EndedAs(Ending::kInFlight)},
           {"swallowed", "caught, not rethrown and not a cause", EndedAs(Ending::kSwallowed)},
           {"wrapped", "caught, then the inner exception of another", EndedAs(Ending::kWrapped)},
           {"replaced", "replaced by one thrown in a finally block", EndedAs(Ending::kReplaced)},
           {"other_ends", "ended in a filter or in native code",
            EndedAs(Ending::kLostInFilter, Ending::kCaughtNative)},
           {"first_ns", kAt, &ExceptionGroup::first_ns},
           {"last_ns", kAt, &ExceptionGroup::last_ns},
           {"total_ns", "from throw to catch, total", &ExceptionGroup::total_ns},
           {"p99_ns", "from throw to catch",
            [](auto& group) { return group.durations.Quantile(0.99); }},
           {"message", "the most frequent", MessageOf},
           {"catcher", "the most frequent", CatcherOf}}};
}

std::string_view HopName(Hop hop) {
  switch (hop) {
    case Hop::kRethrow:
      return "rethrow";
    case Hop::kRestored:
      return "restored";
    case Hop::kAgain:
      return "again";
    case Hop::kNone:
      break;
  }
  return "first";
}

SqlTable<ThrowRow> Throws() {
  return {"throws",
          "Individual throws; thinned out evenly beyond 262,144 (exact counts are in exceptions)",
          TableSource::kEvents,
          1,
          {Numbered<ThrowRow>("throw"),
           {"at_ns", kAt, &ThrowRow::at_ns},
           {"thread", "", KnownId(&ThrowRow::thread)},
           {"type", "", TypeOf(&ThrowRow::type)},
           {"stack", "", StackOf(&ThrowRow::stack)},
           {"hop", "first, rethrow, restored (by an await and the like), again (throw e)",
            [](auto& row) { return HopName(row.hop); }}}};
}

}  // namespace

std::vector<TableSchema> ExceptionTables() { return {Exceptions(), Throws()}; }

void WriteExceptions(const RowContext& context, TableWriter& writer) {
  const auto& exceptions = context.model->exceptions;
  WriteRows(Exceptions(), exceptions.groups, context, writer);
  WriteRows(Throws(), exceptions.rows, context, writer);
}

}  // namespace hindsight::analyzer
