#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/model/process_memory.h"
#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/overview/overview_report.h"
#include "analyzer/report/requests_report.h"

namespace hindsight::analyzer {
namespace {

using State = Coverage::State;

constexpr size_t kLabel = 10;       // columns of the labels on the left
constexpr size_t kFewFindings = 4;  // leave more room for each

std::string Join(std::span<const std::string> texts, std::string_view separator) {
  std::string out;
  for (const std::string& text : texts) {
    if (!out.empty()) out += separator;
    out += text;
  }
  return out;
}

std::string RequestsLine(const Model& model) {
  return ServedText(model) +
         (model.facts.request_details_on
              ? "."
              : ". `requests.details=on` records routes, and what they wait for.");
}

// "120.3 MiB resident, 140.8 MiB at most; 61 open files"
std::string MemoryText(const Model& model) {
  const std::optional<ProcessMemory> memory = ProcessMemoryOf(model.memory);
  if (!memory) return {};
  const auto text = [](const auto& format, uint64_t first, uint64_t last, uint64_t most,
                       std::string_view what) {
    std::string out = format(last);
    if (format(first) != out) out.insert(0, format(first) + " -> ");
    out += what;
    if (format(most) != format(std::max(first, last))) out += ", " + format(most) + " at most";
    return out;
  };
  std::string out =
      text(FormatBytes, memory->first_bytes, memory->last_bytes, memory->most_bytes, " resident");
  // All of it came with an attach.
  if (const uint64_t ours = model.recorder.memory_bytes; ours > 0) {
    out += ", " + FormatBytes(ours) + " of that the recorder's";
  }
  if (memory->most_files == 0) return out;
  return out + "; " +
         text(FormatCount, memory->first_files, memory->last_files, memory->most_files,
              " open files, sockets and pipes");
}

constexpr double kMuchOfProcessors = 0.3;

class Writer {
 public:
  Writer(const OverviewPage& page, const TextStyle& style, size_t top)
      : page_(page),
        reports_(*page.reports),
        overview_(*page.overview),
        style_(style),
        top_(top == 0 ? SIZE_MAX : top) {}

  std::string Write() {
    Head();
    Verdict();
    Findings();
    Covered();
    return std::move(out_);
  }

 private:
  void Head();
  void Health(const Model& model);
  void Verdict();
  void Findings();
  // At most `lines` lines; the rest is cut.
  void Evidence(const std::string& text, size_t lines);
  void Covered();
  void CoveredInFull();

  // `label`, with the text next to it in wrapped lines.
  void Row(Tone tone, std::string_view label, std::string_view text, size_t columns = kLabel) {
    const std::string lines = Wrap(text, style_.width - columns - 2, 0);
    size_t begin = 0;
    for (bool first = true; begin <= lines.size(); first = false) {
      const size_t end = std::min(lines.find('\n', begin), lines.size());
      out_ += "  " + PadRight(first ? label : std::string_view(), columns);
      const std::string_view line = std::string_view(lines).substr(begin, end - begin);
      // A single name may be longer than a line.
      out_ += Paint(style_, tone, ShortenMiddle(style_, line, style_.width - columns - 2)) + "\n";
      begin = end + 1;
    }
  }

  // Those with `state`: "cpu, heap (its note)".
  std::string Listed(State state) const;
  std::string WithoutProblem(bool with_findings) const;

  const OverviewPage& page_;
  const Reports& reports_;
  const Overview& overview_;
  const TextStyle& style_;
  const size_t top_;
  std::string out_;
};

void Writer::Head() {
  const HeapModel* const heap = reports_.heap ? &reports_.heap->model : nullptr;
  const Model* const model = reports_.events ? &reports_.events->model : nullptr;
  const std::string& application = model ? model->facts.application : heap->application;
  const std::string& host = model ? model->facts.host : heap->host;
  const std::string& runtime = model ? model->facts.runtime_version : heap->runtime_version;
  const uint32_t pid = model ? model->facts.pid : heap->pid;
  std::string title = application.empty() ? "An unknown process" : Printable(application);
  if (pid != 0) title += ", pid " + std::to_string(pid);
  if (!host.empty()) title += " on " + Printable(host);
  if (!runtime.empty()) title += ", .NET " + Printable(runtime);
  out_ += Paint(style_, Tone::kStrong, ShortenEnd(style_, title, style_.width)) + "\n";
  if (model) {
    const RecordingFacts& facts = model->facts;
    std::string recorded = FormatDuration(facts.length_ns());
    if (facts.started_unix_ns != 0) recorded += " from " + FormatUnixTime(facts.begin_unix_ns());
    Row(Tone::kStrong, "recorded", recorded + "; " + EndClause(*model));
    if (!facts.sources.empty()) {
      Row(Tone::kStrong, "sources", Printable(Join(facts.sources, ", ")));
    }
  }
  if (heap) {
    const HeapFacts& facts = heap->graph.facts;
    std::string snapshot = "number " + std::to_string(facts.number) + ", ";
    if (!model && facts.unix_ns != 0) snapshot += FormatUnixTime(facts.unix_ns) + ", ";
    Row(Tone::kStrong, "snapshot", snapshot + HeapFactsLine(facts));
  }
  if (model) {
    if (const std::string memory = MemoryText(*model); !memory.empty()) {
      Row(Tone::kStrong, "memory", memory);
    }
    if (model->requests.finished > 0) Row(Tone::kStrong, "requests", RequestsLine(*model));
    Health(*model);
  }
  for (const std::string& damage : page_.damages) Row(Tone::kWarning, "missing", Printable(damage));
}

void Writer::Health(const Model& model) {
  std::string health;
  std::vector<std::string> losses = LossSentences(model);
  if (std::string counted = CountedSentence(CountedOf(model)); !counted.empty()) {
    losses.push_back(std::move(counted));
  }
  if (losses.empty()) {
    health = "nothing lost";
  } else {
    health = losses.front();
    if (losses.size() > 1) health += " And " + Plural(losses.size() - 1, "more loss") + ".";
  }
  if (const RecorderFacts& cost = model.recorder; cost.elapsed_ns > 0) {
    // A share of a moment says nothing of what recording costs.
    constexpr int64_t kMoment = 2'000'000'000;
    health += losses.empty() ? "; the" : " The";
    health += " recorder used " +
              (cost.elapsed_ns < kMoment ? FormatDuration(cost.cpu_ns) + " of CPU time"
                                         : FormatPercent(static_cast<double>(cost.cpu_ns) /
                                                         static_cast<double>(cost.elapsed_ns)) +
                                               " of a core") +
              " and " + FormatBytes(cost.memory_bytes);
    if (!losses.empty()) health += '.';
  }
  Row(losses.empty() ? Tone::kStrong : Tone::kWarning, "health", health);
  if (!model.facts.notes.empty()) {
    const size_t more = model.facts.notes.size() - 1;
    std::string note = Printable(model.facts.notes.front());
    if (more > 0) note += " And " + Plural(more, "more note") + ": see `hindsight info`.";
    Row(Tone::kFaint, "recorder", note);
  }
}

void Writer::Verdict() {
  const auto count = [&](Severity severity) {
    return static_cast<uint64_t>(
        std::count_if(overview_.findings.begin(), overview_.findings.end(),
                      [severity](const Finding& finding) { return finding.severity == severity; }));
  };
  const uint64_t critical = count(Severity::kCritical), warnings = count(Severity::kWarning);
  std::string verdict;
  if (critical > 0) verdict = Plural(critical, "critical finding");
  if (warnings > 0) verdict += (critical > 0 ? ", " : "") + Plural(warnings, "warning");
  const std::string unseen = UnseenSignals(overview_);
  if (overview_.is_healthy()) {
    verdict =
        overview_.doubt() != nullptr ? "Perhaps a problem; no others found" : "No problems found";
    if (!unseen.empty()) verdict += " in what was recorded";
    const bool breaks_off =
        reports_.events && reports_.events->model.facts.end == EndReason::kBrokeOff;
    if (breaks_off) verdict += ", but not how it ended: a crash may be missing";
    if (!overview_.stillness.empty()) {
      verdict += ". " + overview_.stillness;
      verdict.pop_back();
    }
    // Load is no problem by itself, but this is the first thing to know.
    const auto hot = std::ranges::find(overview_.findings, "hot-path", &Finding::kind);
    const bool knows_processors = reports_.events && reports_.events->model.facts.cpus > 0;
    if (knows_processors && hot != overview_.findings.end() && hot->impact >= kMuchOfProcessors) {
      verdict += ". One method uses " + FormatPercent(hot->impact) + " of the processors";
    }
    if (!unseen.empty()) verdict += ". Not or only partly covered: " + unseen;
    if (overview_.growth_unseen_in_ns != 0) {
      verdict += ". Slow growth does not show in " + FormatDuration(overview_.growth_unseen_in_ns);
    }
  }
  const Tone tone = critical > 0 ? Tone::kBad
                    : warnings > 0 || !unseen.empty() || overview_.doubt() != nullptr
                        ? Tone::kWarning
                        : Tone::kStrong;
  out_ += "\n" + Paint(style_, tone, Wrap(verdict + ".", style_.width, 0)) + "\n";
}

void Writer::Evidence(const std::string& text, size_t lines) {
  const size_t columns = style_.width - kLabel - 2;
  if (!style_.shortens) lines = SIZE_MAX;
  std::string_view rest = text;
  for (size_t i = 0; i < lines && !rest.empty(); ++i) {
    const std::string wrapped = Wrap(rest, columns, 0);
    const size_t end = i + 1 < lines ? std::min(wrapped.find('\n'), rest.size()) : rest.size();
    out_ += std::string(kLabel + 2, ' ') + ShortenEnd(style_, rest.substr(0, end), columns) + "\n";
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
}

void Writer::Findings() {
  const size_t shown = std::min(top_, overview_.findings.size());
  const std::string margin(kLabel + 2, ' ');
  for (size_t i = 0; i < shown; ++i) {
    const Finding& finding = overview_.findings[i];
    const Tone tone = finding.severity == Severity::kCritical  ? Tone::kBad
                      : finding.severity == Severity::kWarning ? Tone::kWarning
                                                               : Tone::kStrong;
    Row(tone, finding.is_doubt ? "perhaps" : SeverityName(finding.severity),
        Printable(finding.title));
    Evidence(Printable(finding.evidence), shown <= kFewFindings ? 2 : 1);
    // Never shortened, because it is meant to be pasted.
    out_ += margin + Paint(style_, Tone::kFaint, Printable(CommandOf(finding, page_.paths))) + "\n";
  }
  if (const size_t rest = overview_.findings.size() - shown; rest > 0) {
    out_ += margin + "and " + Plural(rest, "more finding") + ": --all shows them\n";
  }
}

std::string Writer::Listed(State state) const {
  // Signals with the same note share it.
  std::vector<std::pair<std::string, std::string>> groups;
  for (const Coverage& coverage : overview_.coverage) {
    if (coverage.state != state) continue;
    std::string_view note = coverage.note;
    if (note.ends_with('.')) note.remove_suffix(1);
    constexpr std::string_view kRecord = "Record with ";  // need not be said
    if (note.starts_with(kRecord)) note.remove_prefix(kRecord.size());
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [note](const auto& group) { return group.second == note; });
    if (same != groups.end()) {
      same->first += ", " + std::string(SignalName(coverage.signal));
    } else {
      groups.emplace_back(SignalName(coverage.signal), note);
    }
  }
  std::string out;
  for (const auto& [signals, note] : groups) {
    if (!out.empty()) out += "; ";
    out += signals;
    if (!note.empty()) out += " (" + Printable(note) + ")";
  }
  return out;
}

// Signals that were examined without a problem. Those `with_findings` have notes only.
std::string Writer::WithoutProblem(bool with_findings) const {
  std::string out;
  for (const Coverage& coverage : overview_.coverage) {
    if (coverage.state != State::kHealthy && coverage.state != State::kNothingThere) continue;
    const bool has_finding =
        std::any_of(overview_.findings.begin(), overview_.findings.end(),
                    [&](const Finding& finding) { return finding.signal == coverage.signal; });
    if (has_finding != with_findings) continue;
    if (!out.empty()) out += ", ";
    out += SignalName(coverage.signal);
  }
  return out;
}

void Writer::CoveredInFull() {
  constexpr size_t kColumns = 13;
  for (const Coverage& coverage : overview_.coverage) {
    if (coverage.state == State::kNotRecorded) continue;
    std::string text = coverage.looked_at;
    if (!coverage.note.empty()) text += (text.empty() ? "" : ". ") + coverage.note;
    Row(coverage.state == State::kPartly ? Tone::kWarning : Tone::kStrong,
        SignalName(coverage.signal), Printable(text), kColumns);
  }
}

void Writer::Covered() {
  if (overview_.is_healthy()) {
    out_ += "\nCoverage\n";
    CoveredInFull();
  } else {
    out_ += "\n";
    const auto line = [this](std::string_view label, const std::string& signals) {
      if (signals.empty()) return;
      out_ += Wrap(std::string(label) + ": " + signals + ".", style_.width - 2, 2) + "\n";
    };
    line("No problems in", WithoutProblem(false));
    line("Only notes on", WithoutProblem(true));
    line("Partly covered", Listed(State::kPartly));
  }
  const std::string off = Listed(State::kNotRecorded);
  if (off.empty()) return;
  out_ +=
      Paint(style_, Tone::kFaint, Wrap("Not recorded: " + off + ".", style_.width - 2, 2)) + "\n";
}

}  // namespace

std::string CommandOf(const Finding& finding, std::span<const std::string> paths) {
  std::string out = "hindsight " + finding.command;
  for (const std::string& path : paths) out += ' ' + ShellWord(path);
  return out;
}

std::string OverviewText(const OverviewPage& page, const TextStyle& style, size_t top) {
  return Writer(page, style, top).Write();
}

}  // namespace hindsight::analyzer
