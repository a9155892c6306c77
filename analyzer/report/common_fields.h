// What the JSON of many reports contains: its head, the recording, threads, stacks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/overview/finding.h"
#include "analyzer/fields/fields.h"
#include "analyzer/model/model.h"
#include "analyzer/model/recording_summary.h"

namespace hindsight::analyzer {

// "schema" and "command".
Object<Nothing> HeadFields(std::string_view command);

Object<Model> RecordingFields();
// The same for a recording whose packets were only counted.
Object<RecordingSummary> SummarizedRecordingFields();

// A thread of a recording.
struct ThreadRow {
  const Model* model;
  ThreadIndex index;
};
Object<ThreadRow> ThreadFields();
// nullopt: the thread is unknown.
std::optional<ThreadRow> ThreadOf(const Model& model, ThreadIndex index);

OneOf<Severity> Severities();
// Those that a recording may contain.
OneOf<EndReason> EndReasons();

// nullopt if unknown.
template <typename T>
std::optional<T> IfKnown(bool is_known, T value) {
  return is_known ? std::optional<T>(value) : std::nullopt;
}

// Names of the methods in `path`, in its order: innermost first.
std::vector<std::string> StackNames(const MethodNames& names, std::span<const MethodId> path);

// The recording that a report is about.
inline constexpr auto kItsModel = [](auto& report) -> const Model& { return *report.model; };

// Reads a field of reports with `model` and `names`; `get` returns the id, and is a member or a
// function of the row.
inline auto MethodAt(auto get) {
  return [get](auto& row, auto& report) { return report.names.Display(std::invoke(get, row)); };
}
// Null if there is none.
inline auto MethodOrNull(auto get) {
  return [get](auto& row, auto& report) -> std::optional<std::string> {
    const MethodId method = std::invoke(get, row);
    if (method == 0) return std::nullopt;
    return report.names.Display(method);
  };
}
inline auto ThreadAt(auto get) {
  return [get](auto& row, auto& report) { return ThreadOf(*report.model, std::invoke(get, row)); };
}
// For a StackId, or for methods.
inline auto StackAt(auto get) {
  return [get](auto& row, auto& report) {
    const auto& stack = std::invoke(get, row);
    if constexpr (std::integral<std::remove_cvref_t<decltype(stack)>>) {
      return StackNames(report.names, report.model->dictionaries.Path(stack));
    } else {
      return StackNames(report.names, stack);
    }
  };
}

}  // namespace hindsight::analyzer
