#include "analyzer/analyses/overview/measures.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "analyzer/analyses/overview/measure_list.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

MeasureList::Sum* MeasureList::Find(std::string_view name, std::string_view subject_kind,
                                    const std::string& subject) {
  const MeasureKind* const kind = FindMeasureKind(name, subject_kind);
  assert(kind != nullptr);
  const auto [group, is_new] = groups_.try_emplace(kind);
  if (is_new) group->second.is_known = kind->needs->are_met(reports_);
  return group->second.is_known ? &group->second.sums[subject] : nullptr;
}

void MeasureList::Add(std::string_view name, double value, double error) {
  AddOf(name, "", "", value, error);
}

void MeasureList::AddOf(std::string_view name, std::string_view subject_kind,
                        const std::string& subject, double value, double error) {
  Sum* const sum = Find(name, subject_kind, subject);
  if (sum == nullptr) return;
  sum->value += value;
  sum->variance += error * error;
}

void MeasureList::AddLargestOf(std::string_view name, std::string_view subject_kind,
                               const std::string& subject, double value) {
  Sum* const sum = Find(name, subject_kind, subject);
  if (sum != nullptr) sum->value = std::max(sum->value, value);
}

std::vector<Measure> MeasureList::Take() {
  std::vector<Measure> measures;
  for (const auto& [kind, group] : groups_) {
    for (const auto& [subject, sum] : group.sums) {
      measures.push_back({kind, subject, sum.value, std::sqrt(sum.variance)});
    }
  }
  std::sort(measures.begin(), measures.end(), [](const Measure& a, const Measure& b) {
    if (a.kind != b.kind) return a.kind < b.kind;  // in the same table
    return a.value != b.value ? a.value > b.value : a.subject < b.subject;
  });
  return measures;
}

std::vector<Measure> MeasuresOf(const Reports& reports) {
  MeasureList list(reports);
  MeasureFindings(reports, list);
  MeasureWaits(reports, list);
  if (reports.events) {
    MeasureEvents(*reports.events, list);
    MeasureSamples(*reports.events, list);
  }
  if (reports.heap) MeasureHeap(*reports.heap, list);
  return list.Take();
}

}  // namespace hindsight::analyzer
