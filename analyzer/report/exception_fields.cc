#include "analyzer/report/exception_fields.h"

#include "analyzer/report/common_fields.h"

namespace hindsight::analyzer {
namespace {

constexpr Named<FatalError::Kind> kFatalErrors[] = {
    {FatalError::Kind::kFailFast, "fail_fast"},
    {FatalError::Kind::kStackOverflow, "stack_overflow"},
    {FatalError::Kind::kAccessViolation, "access_violation"},
    {FatalError::Kind::kRuntime, "runtime"},
    {FatalError::Kind::kOther, "other"}};

}  // namespace

Object<NameRow> NameFields() {
  return {"name",
          "A type or method: name as C# writes it, raw as in the metadata (\"\" for native code)",
          {
              {"name", "Name", &NameRow::name},
              {"raw", "As in the metadata", &NameRow::raw},
          }};
}

Object<Place, ExceptionsAnswer> PlaceFields() {
  return {
      {"site", "The innermost method of your assemblies, else of a package, else of the framework",
       NameFields(), MethodNameAt(&Place::site)},
      {"through", "The framework call that threw; null: it threw itself", NameFields(),
       [](auto& place, auto& in) {
         return place.through != 0 ? std::optional(MethodRowOf(in, place.through)) : std::nullopt;
       }},
      {"is_yours", "Whether the place is in your code", &Place::is_yours},
  };
}

Object<FatalErrorRow, ExceptionsAnswer> FatalErrorFields() {
  return {
      {"kind", "What it was", kFatalErrors, [](auto& row) { return row.error->kind; }},
      {"code", "HRESULT", [](auto& row) { return row.error->code; }},
      {"at_ns", "When", [](auto& row) { return row.error->at_ns; }},
      {"thread", "On which thread; null: unknown", ThreadFields(),
       ThreadAt([](auto& row) { return row.error->thread; })},
      {"message", "What the runtime or the caller of FailFast says; null: none, or not recorded",
       [](auto& row) { return IfKnown(!row.error->message.empty(), row.error->message); }},
      {"place", "Where to look; null: unknown", PlaceFields(),
       [](auto& row) { return row.place.site == 0 ? nullptr : &row.place; }},
      {"stack", "Methods, innermost first; after a stack overflow, only the innermost",
       StackAt([](auto& row) { return row.error->stack; })},
  };
}

}  // namespace hindsight::analyzer
