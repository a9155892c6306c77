// The packets of two recordings, compared: any bytes that pass the reader.
//
// Input: a byte of options, two with the length of the first body, the two bodies.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/page/comparison_data.h"
#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/report/comparison/comparison_report.h"
#include "tests/fuzz/data_segment.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace hindsight::analyzer;
using Bytes = std::span<const uint8_t>;

std::unique_ptr<Model> ModelOf(Bytes body) {
  const std::string path = hindsight::fuzz::MemoryFile(hindsight::fuzz::DataSegment(body));
  Result<Recording> recording = Recording::Open({&path, 1});
  if (!recording) std::abort();
  auto model = BuildModel(*recording, {});
  return model ? std::move(*model) : nullptr;
}

Reports ReportsOf(const Model& model) {
  return MakeReports(std::make_unique<EventReports>(model), nullptr);
}

void Expect(bool is_so) {
  if (!is_so) std::abort();
}

void Check(const Comparison& comparison) {
  for (const Difference& difference : comparison.differences) {
    for (const double number : {difference.before, difference.after, difference.error,
                                difference.confidence, difference.impact}) {
      Expect(std::isfinite(number));
    }
    Expect(difference.confidence >= 0.5 && difference.confidence <= 1);
    Expect(difference.impact >= 0 && difference.impact <= 1);
    Expect(!difference.title.empty());
  }
}

void CompareAndReport(const Reports& before, const Reports& after, const ComparisonRules& rules) {
  const Comparison comparison = Compare(before, after, rules);
  Check(comparison);
  const ComparisonView view{.comparison = &comparison,
                            .before = &before,
                            .after = &after,
                            .before_label = "before.hindsight",
                            .after_label = "after.hindsight"};
  const std::string text = ComparisonText(view, {});
  const std::string headline = text.substr(0, text.find('\n'));
  Expect(comparison.is_empty() == headline.starts_with("No difference"));
  Expect(comparison.is_empty() || headline.find("regression") != std::string::npos);
  // Names in titles are as they were recorded; what is shown of them is printable.
  for (const char c : text) Expect(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  Expect(nlohmann::json::accept(ComparisonJson(view)));
  Expect(ComparisonData(comparison, 3).is_object());
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kHead = 3;
  if (size < kHead) return 0;
  const Bytes bodies = Bytes(data, size).subspan(kHead);
  const size_t first = std::min<size_t>(data[1] | data[2] << 8, bodies.size());
  const auto before = ModelOf(bodies.first(first)), after = ModelOf(bodies.subspan(first));
  if (!before || !after) return 0;
  const Reports old_reports = ReportsOf(*before), new_reports = ReportsOf(*after);
  ComparisonRules rules;
  rules.per = static_cast<Per>(data[0] & 3);
  // Thresholds are low, so that a few samples make a difference.
  if ((data[0] & 4) != 0) rules = {.per = rules.per, .confidence = 0.5, .min_change = 0};
  CompareAndReport(old_reports, new_reports, rules);
  CompareAndReport(new_reports, old_reports, rules);
  return 0;
}
