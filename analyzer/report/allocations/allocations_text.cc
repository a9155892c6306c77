#include <algorithm>
#include <cmath>
#include <span>

#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/base/text.h"
#include "analyzer/model/how_to_record.h"
#include "analyzer/report/allocations/allocations_common.h"
#include "analyzer/report/allocations/allocations_fields.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/paragraphs.h"

namespace hindsight::analyzer {
namespace {

class AllocationsTextWriter {
 public:
  AllocationsTextWriter(const AllocationReport& report, const AllocationQuery& query,
                        const AllocationTextOptions& options)
      : report_(report), query_(query), options_(options), style_(options.style) {}

  std::string Write();

 private:
  const AllocationProfile& Profile() const { return report_.model->samples.allocations; }
  std::string PlusMinus() const { return style_.unicode ? "±" : "+-"; }
  bool Summary();
  void OverTime();
  void Heaps();
  void Types();
  void Methods();
  void Tree();
  void Threads();
  void Foot();

  const AllocationReport& report_;
  const AllocationQuery& query_;
  const AllocationTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

// Returns whether there is anything to say after it.
bool AllocationsTextWriter::Summary() {
  const Model& model = *report_.model;
  out_ += Paint(style_, Tone::kStrong, "Allocations of " + RecordingTitle(model.facts)) + "\n\n";
  if (report_.whole.samples == 0) {
    AppendSentence(out_, style_, Tone::kStrong,
                   Profile().count > 0 ? "No sample matches; there are " +
                                             Plural(Profile().count, "sample") + " in total."
                   : model.facts.allocations_on ? "Too little was allocated for a single sample."
                                                : "Allocations were not recorded: " +
                                                      HowToRecord(model.facts, "allocations"));
    return false;
  }
  const PathWeight& whole = report_.whole;
  std::string text = EstimatedBytes(whole.amount) + " " + PlusMinus() + " " +
                     EstimatedBytes(ErrorOf(whole)) + " in about " + EstimatedCount(whole.count) +
                     " objects";
  if (report_.seconds() > 0) {
    text += ", " + EstimatedBytes(whole.amount / report_.seconds()) + "/s";
  }
  AppendSentence(out_, style_, Tone::kStrong, text + ".");
  std::string how = Plural(whole.samples, "sample");
  if (Profile().sampling == AllocationProfile::Sampling::kBytes) {
    how += ", a byte in " + FormatBytes(Profile().mean_bytes) +
           " with equal probability: the true value is within the error shown 19 times in 20.";
  } else {
    how += ", one after about each " + FormatBytes(Profile().mean_bytes) +
           ". This runtime samples by an allocation budget, not at random: real errors may be "
           "larger than shown if allocations are periodic.";
  }
  AppendSentence(out_, style_, Tone::kFaint, how);
  return true;
}

void AllocationsTextWriter::OverTime() {
  if (report_.bytes_over_time.empty()) return;
  const double part = report_.seconds() / static_cast<double>(report_.bytes_over_time.size());
  const double most =
      *std::max_element(report_.bytes_over_time.begin(), report_.bytes_over_time.end());
  out_ += "    |" + Sparkline(style_, report_.bytes_over_time) + "|\n";
  AppendSentence(out_, style_, Tone::kFaint,
                 "each bar " + FormatDuration(static_cast<uint64_t>(part * 1e9 + 0.5)) +
                     ", the highest " + EstimatedBytes(most / part) + "/s");
}

void AllocationsTextWriter::Heaps() {
  for (const AllocationHeap heap : {AllocationHeap::kLarge, AllocationHeap::kPinned}) {
    const PathWeight& weight = report_.heaps[static_cast<size_t>(heap)];
    if (weight.samples == 0) continue;
    AppendSentence(out_, style_, Tone::kStrong,
                   std::string("On the ") + (heap == AllocationHeap::kLarge ? "large" : "pinned") +
                       " object heap: " + EstimatedBytes(weight.amount) + ", " +
                       ShareText(style_, ShareOf(weight, report_.whole)) + ", in about " +
                       EstimatedCount(weight.count) + " objects.");
  }
}

void AllocationsTextWriter::Types() {
  AppendTable(out_, style_, {"Types", "type", options_.top}, AllocatedTypeFields(), report_.types,
              report_);
}

void AllocationsTextWriter::Methods() {
  const auto few =
      std::find_if(report_.methods.begin(), report_.methods.end(),
                   [](const MethodWeight& method) { return method.self.samples < kFewSamples; });
  // Methods with few samples are in no meaningful order.
  const auto ranked = static_cast<size_t>(few - report_.methods.begin());
  const size_t shown = options_.top == 0 ? report_.methods.size() : std::min(options_.top, ranked);
  if (shown == 0) return;
  AppendSection(out_, style_, "Methods: self and total (callees included)");
  out_ += TableOf(
      style_, MethodFields("_bytes", EstimatedBytes),
      MethodRows(report_.paths.frames, std::span(report_.methods).first(shown), report_.whole),
      Nothing());
}

void AllocationsTextWriter::Tree() {
  if (report_.paths.nodes.size() == 1) {
    if (!query_.focus.empty()) {
      out_ += "\n";
      AppendSentence(out_, style_, Tone::kBad,
                     "No method on a path matches '" + Printable(query_.focus) + "'.");
    }
    return;
  }
  AppendAllocationTree(out_, report_.paths, report_.whole, query_, options_);
}

void AllocationsTextWriter::Threads() {
  if (report_.threads.size() < 2) return;
  AppendTable(out_, style_, {"Threads", "thread", options_.top}, AllocatingThreadFields(),
              report_.threads, report_);
}

void AllocationsTextWriter::Foot() {
  const AllocationProfile& profile = Profile();
  AppendLosses(out_, style_, *report_.model);
  out_ += "\n";
  if (profile.samples.size() < profile.count) {
    out_ += Wrap("Note: of " + FormatCount(profile.count) + " samples " +
                     FormatCount(profile.samples.size()) +
                     " are used, chosen at random; estimates stay within their errors.",
                 style_.width - 6, 6) +
            "\n";
  }
  const PathWeight& large = report_.heaps[static_cast<size_t>(AllocationHeap::kLarge)];
  const bool much_large = report_.whole.amount > 0 && !query_.heap &&
                          large.amount > kHintRules.large_share * report_.whole.amount;
  out_ +=
      Paint(style_, Tone::kFaint,
            Wrap(much_large
                     ? "Only gen2 collections free large objects: --heap large shows where they "
                       "are allocated; pool them (ArrayPool). `hindsight gc` shows what they cost."
                     : "--type and --focus filter by type or method; --bottom-up shows callers; "
                       "--heap large, what is expensive to collect. `hindsight gc` shows what it "
                       "all costs.",
                 style_.width, 0)) +
      "\n";
}

std::string AllocationsTextWriter::Write() {
  if (Summary()) {
    OverTime();
    Heaps();
    Types();
    Methods();
    Tree();
    Threads();
  }
  Foot();
  return std::move(out_);
}

}  // namespace

std::string AllocationsText(const AllocationReport& report, const AllocationQuery& query,
                            const AllocationTextOptions& options) {
  return AllocationsTextWriter(report, query, options).Write();
}

}  // namespace hindsight::analyzer
