#include "analyzer/report/cpu/cpu_report.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/base/text.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/cpu/cpu_fields.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/exception_sentences.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

std::string Time(double ns) { return FormatDuration(static_cast<uint64_t>(std::max(0.0, ns))); }

// "0.85 of a core", "3.2 cores"
std::string Cores(double cores) {
  char text[48];
  if (cores < 0.995) {
    std::snprintf(text, sizeof(text), cores < 0.1 ? "%.3f of a core" : "%.2f of a core", cores);
  } else {
    std::snprintf(text, sizeof(text), "%.2f cores", cores);
  }
  return text;
}

class Writer {
 public:
  Writer(const CpuProfileReport& report, const CpuQuery& query, const CpuTextOptions& options)
      : report_(report), query_(query), options_(options), style_(options.style) {}

  std::string Write();

 private:
  const PathFrames& Frames() const { return report_.paths.frames; }
  size_t Shown(size_t rows) const {
    return options_.top == 0 ? rows : std::min(options_.top, rows);
  }
  void Sentence(Tone tone, const std::string& text) {
    out_ += "    " + Paint(style_, tone, Wrap(text, style_.width - 4, 4)) + "\n";
  }
  void Title(const std::string& text) {
    out_ += "\n" + Paint(style_, Tone::kStrong, Wrap(text, style_.width - 2, 2)) + "\n\n";
  }
  bool Summary();
  void OverTime();
  void Focus();
  void OwnMethods();
  void Methods();
  void Tree();
  void Threads();
  void ThreadsWithMethods();
  void Foot();
  std::vector<std::string> Notes() const;
  std::string Next() const;
  double NativeShare(bool (*holds)(std::string_view name)) const;
  std::string HiddenInlining() const;

  const CpuProfileReport& report_;
  const CpuQuery& query_;
  const CpuTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

// Notes of the recorder about samples that it could not take: threads without a timer, a signal
// handler of the application that interferes.
bool IsAboutSampling(const std::string& note) {
  return note.find("source cpu") != std::string::npos;
}

// Returns whether there is anything to say after it.
bool Writer::Summary() {
  const Model& model = *report_.model;
  const CpuProfile& cpu = model.samples.cpu;
  out_ += Paint(style_, Tone::kStrong, "CPU of " + RecordingTitle(model.facts)) + "\n\n";
  if (report_.whole.samples == 0) {
    if (cpu.count > 0) {
      Sentence(Tone::kStrong,
               "No sample matches; there are " + Plural(cpu.count, "sample") + " in total.");
    } else if (std::ranges::any_of(model.facts.notes, IsAboutSampling)) {
      Sentence(Tone::kStrong, "No CPU sample was recorded; see the note below.");
    } else if (model.facts.cpu_on) {
      Sentence(Tone::kStrong,
               "The process was idle: no thread used enough CPU time for one sample.");
    } else {
      Sentence(Tone::kStrong, "CPU time was not recorded: record with `sources=+cpu`.");
    }
    return false;
  }
  const double elapsed_ns = static_cast<double>(report_.to_ns - report_.from_ns);
  std::string text = Time(report_.whole.amount) + " of CPU time in " + Time(elapsed_ns);
  if (elapsed_ns > 0) text += ": " + Cores(report_.cores) + " used on average";
  Sentence(Tone::kStrong, text + ".");
  // On a busy machine a timer is late, and one sample stands for all periods that have passed.
  constexpr double kMuchMore = 1.2;
  const bool has_late = report_.whole.amount > kMuchMore * static_cast<double>(cpu.period_ns) *
                                                   static_cast<double>(report_.whole.samples);
  Sentence(Tone::kFaint,
           Plural(report_.whole.samples, "sample") + (has_late ? ", at least " : ", one per ") +
               FormatDuration(cpu.period_ns) +
               (has_late ? " of a thread's CPU time apart" : " of a thread's CPU time") +
               ". Waiting threads are not sampled.");
  return true;
}

void Writer::OverTime() {
  if (report_.cores_over_time.empty()) return;
  // Parts shorter than two samples of a busy thread would only show the rhythm of sampling.
  std::vector<double> parts = report_.cores_over_time;
  const double elapsed_ns = static_cast<double>(report_.to_ns - report_.from_ns);
  const double period_ns = static_cast<double>(report_.model->samples.cpu.period_ns);
  while (parts.size() % 2 == 0 && elapsed_ns / static_cast<double>(parts.size()) < 4 * period_ns) {
    for (size_t i = 0; i < parts.size() / 2; ++i) parts[i] = (parts[2 * i] + parts[2 * i + 1]) / 2;
    parts.resize(parts.size() / 2);
  }
  const double most = *std::max_element(parts.begin(), parts.end());
  out_ += "    |" + Sparkline(style_, parts) + "|\n";
  Sentence(Tone::kFaint, "each bar " + Time(elapsed_ns / static_cast<double>(parts.size())) +
                             ", the highest " + Cores(most) + "; from " +
                             Time(static_cast<double>(report_.from_ns)) + " to " +
                             Time(static_cast<double>(report_.to_ns)));
}

void Writer::Focus() {
  if (query_.focus.empty()) return;
  out_ += "\n";
  if (report_.focus_matches == 0) {
    Sentence(Tone::kBad, "No method on a path matches '" + Printable(query_.focus) + "'.");
    return;
  }
  const PathWeight& weight = report_.paths.nodes[0].total;
  Sentence(Tone::kStrong,
           "In '" + Printable(query_.focus) + "' (" + Plural(report_.focus_matches, "method") +
               "), total: " + Time(weight.amount) + ", " +
               ShareText(style_, ShareOf(weight, report_.whole)) + " of the CPU time.");
}

// Methods with few samples are in no meaningful order.
void Writer::OwnMethods() {
  std::vector<const OwnMethod*> methods;
  size_t left_out = 0;
  for (const OwnMethod& method : report_.own.methods) {
    if (method.passes_on) {
      ++left_out;
    } else if (options_.top == 0 || method.total.samples >= kFewSamples) {
      methods.push_back(&method);
    }
  }
  if (methods.empty()) return;
  Title("Your code: " + ShareText(style_, ShareOf(report_.own.inside, report_.whole)) +
        " of the CPU time, by method; self includes calls into other code");
  Table table({{"total", Table::Align::kRight},
               {"", Table::Align::kRight},
               {"self", Table::Align::kRight},
               {"samples", Table::Align::kRight},
               {"method", Table::Align::kLeft, true}});
  const size_t shown = Shown(methods.size());
  for (const OwnMethod* method : std::span(methods).first(shown)) {
    table.AddRow({Time(method->total.amount),
                  ShareText(style_, ShareOf(method->total, report_.whole)),
                  ShareText(style_, ShareOf(method->self, report_.whole)),
                  FormatCount(method->total.samples), Printable(Frames()[method->frame].Label())});
  }
  out_ += table.Render(style_, 2);
  std::string rest;
  if (methods.size() > shown) rest = "and " + Plural(methods.size() - shown, "more method");
  if (left_out > 0) {
    rest += (rest.empty() ? "without " : "; without ") + FormatCount(left_out) +
            (left_out == 1 ? " that only forwards calls" : " that only forward calls");
  }
  if (!rest.empty()) {
    out_ += Paint(style_, Tone::kFaint, "  " + Wrap(rest, style_.width - 2, 4)) + "\n";
  }
}

void Writer::Methods() {
  const std::vector<MethodWeight>& all = report_.methods;
  const bool by_total = query_.order == MethodOrder::kTotal;
  const auto few = std::find_if(all.begin(), all.end(), [by_total](const MethodWeight& method) {
    return (by_total ? method.total : method.self).samples < kFewSamples;
  });
  // Methods with few samples are in no meaningful order.
  const auto ranked = static_cast<size_t>(few - all.begin());
  const size_t shown = options_.top == 0 ? all.size() : Shown(ranked);
  if (all.empty()) return;
  Title("Methods: self and total (callees included)");
  if (shown > 0) {
    out_ += TableOf(style_, MethodFields("_ns", Time),
                    MethodRows(Frames(), std::span(all).first(shown), report_.whole), Nothing());
  }
  PathWeight rest;
  size_t methods = 0;
  for (const MethodWeight& method : std::span(all).subspan(shown)) {
    rest += method.self;
    methods += method.self.samples > 0 ? 1 : 0;
  }
  if (methods == 0) return;
  std::string text = Plural(methods, shown == 0 ? "method" : "more method") + ", " +
                     ShareText(ShareOf(rest, report_.whole).value) + " together";
  if (shown == ranked) {
    text += ": fewer than " + std::to_string(kFewSamples) + " samples each, too few to rank";
  }
  out_ += Paint(style_, Tone::kFaint, "  " + Wrap("and " + text, style_.width - 2, 4)) + "\n";
}

void Writer::Tree() {
  if (report_.paths.nodes.size() == 1) return;
  PathTreeLook look;
  look.amount_title = "time";
  look.amount = Time;
  look.min_share = options_.min_share;
  look.has_self = !query_.bottom_up;
  if (query_.bottom_up) {
    Title(query_.focus.empty() ? "Inverted call tree: hot methods, callers below"
                               : "Callers, innermost first");
    look.title = "method, then its callers";
  } else {
    Title(query_.focus.empty() ? "Call tree" : "Callees");
    look.title = "method, then its callees";
  }
  out_ += PathTreeText(report_.paths, report_.whole, look, style_);
}

void Writer::Threads() {
  if (report_.threads.size() < 2 || !query_.focus.empty())
    return;  // threads are not affected by the focus
  AppendTable(out_, style_, {"Threads", "thread", options_.top}, CpuThreadFields(), report_.threads,
              CpuAnswer{report_.model, report_, query_});
}

void Writer::ThreadsWithMethods() {
  Title("Threads, with their hottest methods (self)");
  for (const CpuThread& thread : std::span(report_.threads).first(Shown(report_.threads.size()))) {
    const std::string left = PadLeft(Time(thread.weight.amount), 10) +
                             PadLeft(ShareText(ShareOf(thread.weight, report_.whole).value), 9) +
                             "  ";
    out_ += left +
            Paint(style_, Tone::kStrong,
                  ShortenMiddle(style_, ThreadLabel(*report_.model, thread.thread),
                                style_.width - TextColumns(left))) +
            "\n";
    for (const MethodWeight& method : thread.hottest) {
      const std::string share =
          PadLeft(ShareText(ShareOf(method.self, thread.weight).value), 19) + "    ";
      out_ += share + FrameText(style_, Frames()[method.frame], style_.width - TextColumns(share)) +
              "\n";
    }
  }
  const size_t shown = Shown(report_.threads.size());
  if (report_.threads.size() > shown) {
    out_ += "  and " + Plural(report_.threads.size() - shown, "more thread") + "\n";
  }
}

// The share of the native code for which `holds` is true.
double Writer::NativeShare(bool (*holds)(std::string_view name)) const {
  PathWeight sum;
  for (const MethodWeight& native : report_.native) {
    if (holds(Frames()[native.frame].name)) sum += native.self;
  }
  return ShareOf(sum, report_.whole).value;
}

// The method whose inlined methods are not distinguished, if that is worth a note; otherwise empty.
std::string Writer::HiddenInlining() const {
  const auto hottest =
      std::max_element(report_.own.methods.begin(), report_.own.methods.end(),
                       [](const auto& a, const auto& b) { return a.self.amount < b.self.amount; });
  if (hottest == report_.own.methods.end() ||
      ShareOf(hottest->self, report_.whole).value < kHintRules.inlined_share ||
      hottest->self.samples < kFewSamples) {
    return {};
  }
  const PathFrame& frame = Frames()[hottest->frame];
  const std::string part =
      "Methods that the JIT inlined into " + Printable(frame.name) + " are part of it";
  if (!report_.model->facts.inlining_reported) {
    return part +
           ". They have rows of their own if the process is started with "
           "DOTNET_RichDebugInfo=1, or by `hindsight-trigger launch --inlined`.";
  }
  if (!frame.hides_inlined) return {};
  return part +
         ": it was compiled ahead of time, or before the runtime's events were received, "
         "which `events.from=start` begins sooner.";
}

std::vector<std::string> Writer::Notes() const {
  const Model& model = *report_.model;
  const CpuProfile& cpu = model.samples.cpu;
  std::vector<std::string> notes;
  if (report_.unrooted > 0) {
    const double share =
        static_cast<double>(report_.unrooted) / static_cast<double>(report_.whole.samples);
    notes.push_back(Plural(report_.unrooted, "sample") + " (" + ShareText(share) +
                    ") have incomplete stacks: their paths begin in the middle.");
  }
  if (cpu.samples.size() < cpu.count) {
    notes.push_back("Of " + FormatCount(cpu.count) + " samples " + FormatCount(cpu.samples.size()) +
                    " are used, chosen at random; shares stay within their errors.");
  }
  if (!query_.thread.empty()) {
    notes.push_back("Percentages are of the CPU time of the selected threads.");
  }
  for (const std::string& note : model.facts.notes) {
    if (IsAboutSampling(note)) notes.push_back(Printable(note));
  }
  if (std::string hidden = HiddenInlining(); !hidden.empty()) notes.push_back(std::move(hidden));
  for (std::string& sentence : LossSentences(model)) notes.push_back(std::move(sentence));
  return notes;
}

std::string Writer::Next() const {
  if (report_.whole.samples == 0 || report_.cores < kHintRules.idle_cores) {
    return "Little CPU time was used: `hindsight threads` shows thread stacks, `hindsight locks` "
           "what threads wait for.";
  }
  if (NativeShare(IsCollecting) >= kHintRules.collecting_share) {
    return "Much of the time went into garbage collection: `hindsight gc` shows why, `hindsight "
           "allocations` who allocates.";
  }
  if (NativeShare([](std::string_view name) { return name == kCompilingFrame; }) >=
      kHintRules.compiling_share) {
    return "Much of the time went into JIT compilation. Shortly after the start, look at a later "
           "part with --from, or compile ahead (ReadyToRun). Later, look for what generates code "
           "again and again: `--bottom-up` shows its callers.";
  }
  if (!query_.focus.empty()) {
    return query_.bottom_up ? "Without --bottom-up: its callees. --lines shows source lines."
                            : "--bottom-up shows callers; --lines shows source lines.";
  }
  return "--focus METHOD shows one method's share and callees, with --bottom-up its callers; "
         "--lines shows source lines; --by-thread, threads; --native and --plumbing, folded "
         "frames.";
}

void Writer::Foot() {
  out_ += "\n";
  for (const std::string& note : Notes()) {
    out_ += Paint(style_, Tone::kWarning, Wrap("Note: " + note, style_.width - 6, 6)) + "\n";
  }
  out_ += Paint(style_, Tone::kFaint, Wrap(Next(), style_.width, 0)) + "\n";
}

std::string Writer::Write() {
  if (Summary()) {
    OverTime();
    Focus();
    OwnMethods();
    Methods();
    if (options_.by_thread) {
      ThreadsWithMethods();
    } else {
      Tree();
      Threads();
    }
  }
  Foot();
  return std::move(out_);
}

}  // namespace

std::string CpuText(const CpuProfileReport& report, const CpuQuery& query,
                    const CpuTextOptions& options) {
  return Writer(report, query, options).Write();
}

}  // namespace hindsight::analyzer
