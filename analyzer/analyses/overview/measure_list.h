// Builds the list of measures, without those that the recording does not provide, so that callers
// need not check.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {

struct EventReports;
struct HeapReports;

class MeasureList {
 public:
  // `reports` must outlive this.
  explicit MeasureList(const Reports& reports) : reports_(reports) {}

  // Of the whole process. A `name` that is not in MeasureKinds is the caller's mistake.
  void Add(std::string_view name, double value, double error = 0);

  // For one of many subjects; repeated subjects are added up, and their errors combined as
  // independent ones.
  void AddOf(std::string_view name, std::string_view subject_kind, const std::string& subject,
             double value, double error = 0);
  // The same, but the largest value of a repeated subject counts.
  void AddLargestOf(std::string_view name, std::string_view subject_kind,
                    const std::string& subject, double value);

  // In the order of MeasureKinds, then largest value first.
  std::vector<Measure> Take();

 private:
  struct Sum {
    double value = 0, variance = 0;  // of the error
  };
  struct Group {
    bool is_known = false;
    std::unordered_map<std::string, Sum> sums;  // by subject
  };
  Sum* Find(std::string_view name, std::string_view subject_kind, const std::string& subject);

  const Reports& reports_;
  std::unordered_map<const MeasureKind*, Group> groups_;
};

// Converts a count to the value of a measure.
inline double Of(uint64_t count) { return static_cast<double>(count); }

// Each adds its measures, if the reports provide them.
void MeasureFindings(const Reports& reports, MeasureList& list);
void MeasureEvents(const EventReports& events, MeasureList& list);
void MeasureSamples(const EventReports& events, MeasureList& list);
void MeasureWaits(const Reports& reports, MeasureList& list);
void MeasureHeap(const HeapReports& heap, MeasureList& list);

}  // namespace hindsight::analyzer
