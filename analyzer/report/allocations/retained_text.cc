#include <algorithm>
#include <span>

#include "analyzer/base/text.h"
#include "analyzer/report/allocations/allocations_common.h"
#include "analyzer/report/allocations/retained_fields.h"
#include "analyzer/report/allocations/retained_report.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/paragraphs.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

class RetainedTextWriter {
 public:
  RetainedTextWriter(const HeapModel& model, const RetainedAllocations& report,
                     const AllocationQuery& query, const AllocationTextOptions& options)
      : model_(model),
        survivors_(model.survivors),
        report_(report),
        query_(query),
        options_(options),
        style_(options.style),
        out_(HeapHead("Allocated and still alive in the heap", model, style_)) {}

  std::string Write() {
    const bool has_any = Summary();
    LeftOut();
    if (has_any) {
      Types();
      Methods();
      Tree();
    }
    out_ += "\n" + NextHint(Hint(), style_);
    return std::move(out_);
  }

 private:
  void Say(Tone tone, const std::string& text) { AppendSentence(out_, style_, tone, text); }
  bool Summary();
  std::string WhyNone() const;
  void LeftOut();
  void Types();
  void Methods();
  void Tree();
  std::string Hint() const;

  const HeapModel& model_;
  const Survivors& survivors_;
  const RetainedAllocations& report_;
  const AllocationQuery& query_;
  const AllocationTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

std::string RetainedTextWriter::WhyNone() const {
  if (!survivors_.recorded) {
    return "The snapshot has no allocation sites: record with `sources=+heap`, and take "
           "a snapshot.";
  }
  if (report_.unreachable.samples > 0) return "No sampled object is reachable.";
  if (!survivors_.samples.empty()) {
    return "No sample is of this type; there are " + Plural(survivors_.samples.size(), "sample") +
           " in total.";
  }
  return "No sampled object was alive at the snapshot.";
}

// Returns whether there is anything to say after it.
bool RetainedTextWriter::Summary() {
  const PathWeight& whole = report_.whole;
  if (whole.samples == 0) {
    Say(Tone::kStrong, WhyNone());
  } else {
    Say(Tone::kStrong, EstimatedBytes(whole.amount) + (style_.unicode ? " ± " : " +- ") +
                           EstimatedBytes(ErrorOf(whole)) + " in about " +
                           EstimatedCount(whole.count) + " objects " +
                           "were allocated during the recording and are still reachable; median "
                           "age of the samples: " +
                           FormatDuration(report_.median_age_ns) + ".");
    std::string how = Plural(whole.samples, "sample");
    how += survivors_.sampling == AllocationProfile::Sampling::kBytes
               ? ", a byte in " + FormatBytes(survivors_.mean_bytes) + " with equal probability"
               : ", chosen by the runtime's allocation budget";
    if (survivors_.stride > 1) {
      how += "; one in " + FormatCount(survivors_.stride) + " of them was followed";
    }
    Say(Tone::kFaint, how + ". Sizes are shallow sizes.");
  }
  if (survivors_.recorded) {
    Say(Tone::kFaint, survivors_.followed_ns != 0
                          ? "Objects were tracked from " + FormatDuration(survivors_.followed_ns) +
                                " before the snapshot on: older ones are not included."
                          : "Objects from before the recording are not included.");
  }
  return whole.samples > 0;
}

void RetainedTextWriter::LeftOut() {
  if (const PathWeight& dead = report_.unreachable; dead.samples > 0) {
    Say(Tone::kFaint, "Omitted: about " + EstimatedBytes(dead.amount) + " (" +
                          Plural(dead.samples, "sample") + ") of garbage not collected yet.");
  }
  if (survivors_.misplaced > 0) {
    Say(Tone::kFaint,
        "Omitted: " + Plural(survivors_.misplaced, "sample") + " whose object was not found.");
  }
}

void RetainedTextWriter::Types() {
  AppendTable(out_, style_, {"Types, with the median age of their samples", "type", options_.top},
              SurvivorTypeFields(), report_.types, SurvivorsAnswer{&model_, report_, query_});
}

void RetainedTextWriter::Methods() {
  const auto silent =
      std::find_if(report_.methods.begin(), report_.methods.end(),
                   [](const MethodWeight& method) { return method.self.samples == 0; });
  const auto allocating = static_cast<size_t>(silent - report_.methods.begin());
  const size_t shown = ShownRows(allocating, options_.top);
  if (shown == 0) return;
  AppendSection(out_, style_, "Methods: self and total (callees included)");
  out_ += TableOf(
      style_, MethodFields("_bytes", EstimatedBytes),
      MethodRows(report_.paths.frames, std::span(report_.methods).first(shown), report_.whole),
      Nothing());
  AppendMore(out_, allocating, shown, "method");
}

void RetainedTextWriter::Tree() {
  if (report_.paths.nodes.size() == 1) {
    out_ += "\n";
    Say(Tone::kBad, "No method on a path matches '" + Printable(query_.focus) + "'.");
    return;
  }
  AppendAllocationTree(out_, report_.paths, report_.whole, query_, options_);
}

std::string RetainedTextWriter::Hint() const {
  if (!survivors_.recorded) return "`hindsight leaks` shows what accumulates, and what holds it.";
  return "`hindsight leaks` shows what accumulates and what holds it; `hindsight paths TYPE`, why "
         "a type is alive. --type and --focus filter by type or method; --bottom-up shows callers.";
}

}  // namespace

std::string RetainedAllocationsText(const HeapModel& model, const RetainedAllocations& report,
                                    const AllocationQuery& query,
                                    const AllocationTextOptions& options) {
  return RetainedTextWriter(model, report, query, options).Write();
}

}  // namespace hindsight::analyzer
