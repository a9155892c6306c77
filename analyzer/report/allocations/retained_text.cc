#include <algorithm>
#include <span>

#include "analyzer/base/text.h"
#include "analyzer/report/allocations/allocation_words.h"
#include "analyzer/report/allocations/retained_report.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/paragraphs.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

using enum Table::Align;

class RetainedTextWriter {
 public:
  RetainedTextWriter(const HeapModel& model, const RetainedAllocations& report,
                     const AllocationQuery& query, const AllocationTextOptions& options)
      : survivors_(model.survivors),
        report_(report),
        query_(query),
        options_(options),
        style_(options.style),
        out_(HeapHead("Allocated and still retained in the heap", model, style_)) {}

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

  const Survivors& survivors_;
  const RetainedAllocations& report_;
  const AllocationQuery& query_;
  const AllocationTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

std::string RetainedTextWriter::WhyNone() const {
  if (!survivors_.recorded) {
    return "The snapshot does not say where its objects were allocated: record with "
           "`sources=heap,allocations`, and take a snapshot.";
  }
  if (report_.unreachable.samples > 0) return "Nothing that was sampled is reachable.";
  if (!survivors_.samples.empty()) {
    return "No sample is of the type that was asked for; there are " +
           Plural(survivors_.samples.size(), "sample") + " in all.";
  }
  return "None of the sampled objects was alive at the snapshot.";
}

// Whether there is anything to say after it.
bool RetainedTextWriter::Summary() {
  const PathWeight& whole = report_.whole;
  if (whole.samples == 0) {
    Say(Tone::kStrong, WhyNone());
  } else {
    Say(Tone::kStrong, EstimatedBytes(whole.amount) + (style_.unicode ? " ± " : " +- ") +
                           EstimatedBytes(ErrorOf(whole)) + " in about " +
                           EstimatedCount(whole.count) + " objects " +
                           "were allocated while recording and are still reachable; half of the "
                           "samples are older than " +
                           FormatDuration(report_.median_age_ns) + ".");
    std::string how = Plural(whole.samples, "sample");
    how +=
        survivors_.sampling == AllocationProfile::Sampling::kBytes
            ? ", a byte in " + FormatBytes(survivors_.mean_bytes) + " with the same chance for each"
            : ", picked by the runtime's allocation budget";
    if (survivors_.stride > 1) {
      how += "; one in " + FormatCount(survivors_.stride) + " of them was followed";
    }
    Say(Tone::kFaint, how + ". Sizes are those of the objects themselves, without what they hold.");
  }
  if (survivors_.recorded) {
    Say(Tone::kFaint, survivors_.followed_ns != 0
                          ? "Objects were followed since " +
                                FormatDuration(survivors_.followed_ns) +
                                " before the snapshot: what is older is not in it."
                          : "Objects from before the recording are not in it.");
  }
  return whole.samples > 0;
}

void RetainedTextWriter::LeftOut() {
  if (const PathWeight& dead = report_.unreachable; dead.samples > 0) {
    Say(Tone::kFaint, "Left out: about " + EstimatedBytes(dead.amount) + " (" +
                          Plural(dead.samples, "sample") +
                          ") that no root reaches: a later collection frees it.");
  }
  if (survivors_.misplaced > 0) {
    Say(Tone::kFaint, "Left out: " + Plural(survivors_.misplaced, "sample") +
                          " whose object is not where the recording says.");
  }
}

void RetainedTextWriter::Types() {
  const size_t shown = ShownRows(report_.types.size(), options_.top);
  Table table({{"bytes", kRight},
               {"share", kRight},
               {"objects", kRight},
               {"age", kRight},
               {"type", kLeft, true},
               {"mostly by", kLeft, true}});
  for (const RetainedType& type : std::span(report_.types).first(shown)) {
    table.AddRow({EstimatedBytes(type.weight.amount),
                  ShareText(style_, ShareOf(type.weight, report_.whole)),
                  EstimatedCount(type.weight.count), FormatDuration(type.median_age_ns),
                  Printable(type.name), Printable(report_.paths.frames[type.site].name)});
  }
  AppendSection(out_, style_, "Types, and the median age of their samples");
  out_ += table.Render(style_, 2);
  AppendMore(out_, report_.types.size(), shown, "type");
}

void RetainedTextWriter::Methods() {
  const auto silent =
      std::find_if(report_.methods.begin(), report_.methods.end(),
                   [](const MethodWeight& method) { return method.self.samples == 0; });
  const auto allocating = static_cast<size_t>(silent - report_.methods.begin());
  const size_t shown = ShownRows(allocating, options_.top);
  if (shown == 0) return;
  Table table({{"bytes", kRight}, {"share", kRight}, {"samples", kRight}, {"method", kLeft, true}});
  for (const MethodWeight& method : std::span(report_.methods).first(shown)) {
    table.AddRow({EstimatedBytes(method.self.amount),
                  ShareText(style_, ShareOf(method.self, report_.whole)),
                  FormatCount(method.self.samples),
                  FrameText(style_, report_.paths.frames[method.frame], SIZE_MAX)});
  }
  AppendSection(out_, style_, "Methods that allocated it");
  out_ += table.Render(style_, 2);
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
  if (!survivors_.recorded) return "`hindsight leaks` says what piles up, and who holds it.";
  return "`hindsight leaks` says what piles up and who holds it, `hindsight paths TYPE` why a type "
         "is alive; --type and --focus narrow this to a type or a method, --bottom-up shows who "
         "calls what allocates.";
}

}  // namespace

std::string RetainedAllocationsText(const HeapModel& model, const RetainedAllocations& report,
                                    const AllocationQuery& query,
                                    const AllocationTextOptions& options) {
  return RetainedTextWriter(model, report, query, options).Write();
}

}  // namespace hindsight::analyzer
