// Builds the list of measures; those that the recording cannot know are omitted here, so that
// callers need not check.
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
  // `reports` outlives this.
  explicit MeasureList(const Reports& reports) : reports_(reports) {}

  // Of the whole process. A `name` that is not in MeasureKinds is a mistake of the caller's.
  void Add(std::string_view name, double value, double error = 0);

  // Of one of many; subjects that come again are added up, errors as if they were independent.
  void AddOf(std::string_view name, std::string_view subject_kind, const std::string& subject,
             double value, double error = 0);
  // The same, but of what comes again the largest counts.
  void AddLargestOf(std::string_view name, std::string_view subject_kind,
                    const std::string& subject, double value);

  // In the order of MeasureKinds, and the largest value first.
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

// A count as a measure has it.
inline double Of(uint64_t count) { return static_cast<double>(count); }

// Each adds what it is about, for reports that have it.
void MeasureFindings(const Reports& reports, MeasureList& list);
void MeasureEvents(const EventReports& events, MeasureList& list);
void MeasureSamples(const EventReports& events, MeasureList& list);
void MeasureWaits(const Reports& reports, MeasureList& list);
void MeasureHeap(const HeapReports& heap, MeasureList& list);

}  // namespace hindsight::analyzer
