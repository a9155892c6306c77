#include "analyzer/report/exceptions_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/exception_sentences.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/path_variants.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kIndent = 4;
constexpr size_t kLabel = 12;
constexpr uint32_t kSparkColumns = 30;
constexpr size_t kThreadsNamed = 4;
constexpr size_t kRelationsShown = 3;
constexpr size_t kCatchersShown = 3;
constexpr size_t kRoutesShown = 2;
constexpr size_t kHopsShown = 12;

class ExceptionsTextWriter {
 public:
  ExceptionsTextWriter(const ExceptionReport& report, const ExceptionTextOptions& options)
      : report_(report), options_(options), style_(options.style) {}

  std::string Write();

 private:
  size_t ValueColumns() const { return style_.width - kIndent - kLabel; }
  std::string Name(MethodId method, size_t columns) const {
    return ShortenMiddle(style_, Printable(report_.names.Display(method)), columns);
  }
  // The method, and the line of a location in it if lines are shown and it is known.
  std::string Place(MethodId method, int32_t il_offset, size_t columns) const {
    const std::string line = options_.lines == nullptr
                                 ? std::string()
                                 : LineLabel(options_.lines->Of(method, il_offset));
    if (line.empty()) return Name(method, columns);
    const std::string suffix = " (" + Printable(line) + ")";
    return Name(method, columns - std::min(columns, TextColumns(suffix))) + suffix;
  }
  // Whether `stub` only starts the async method or iterator whose code is `body`.
  bool Starts(MethodId stub, MethodId body) const {
    return report_.names.IsStateMachine(body) && !report_.names.IsStateMachine(stub) &&
           report_.names.Display(stub) == report_.names.Display(body);
  }
  bool OtherPlaces(const ExceptionFinding& finding, size_t frame) const;

  void Summary();
  void FatalError();
  void Finding(size_t rank, const ExceptionFinding& finding);
  void Heading(size_t rank, const ExceptionFinding& finding);
  void Rate(const ExceptionFinding& finding);
  void Times(const ExceptionFinding& finding);
  void Path(const ExceptionFinding& finding);
  void Place(const ExceptionFinding& finding);
  void OtherPaths(const ExceptionFinding& finding);
  void Catchers(const ExceptionFinding& finding);
  void Routes(const ExceptionFinding& finding);
  void Messages(const ExceptionFinding& finding);
  void Threads(const ExceptionFinding& finding);
  void Relations(std::string_view label, const std::vector<Relation>& relations);
  void Footer(size_t shown);

  // One line under a label; an empty label continues the one above.
  void Row(std::string_view label, std::string_view value);
  void Sentence(Tone tone, std::string_view text);

  const ExceptionReport& report_;
  const ExceptionTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

std::string Rate(double per_second) {
  char text[32];
  if (per_second >= 100) return FormatCount(static_cast<uint64_t>(std::llround(per_second))) + "/s";
  std::snprintf(text, sizeof(text), per_second >= 10 ? "%.0f/s" : "%.1f/s", per_second);
  return per_second < 0.05 ? std::string("under 0.1/s") : std::string(text);
}

void ExceptionsTextWriter::Row(std::string_view label, std::string_view value) {
  out_.append(kIndent, ' ');
  out_ += Paint(style_, Tone::kFaint, PadRight(label, kLabel));
  out_ += value;
  out_ += '\n';
}

void ExceptionsTextWriter::Sentence(Tone tone, std::string_view text) {
  out_.append(kIndent, ' ');
  // Line by line, so that colors end at the end of each line.
  const std::string wrapped = Wrap(text, style_.width - kIndent, kIndent);
  size_t begin = 0;
  while (begin <= wrapped.size()) {
    const size_t end = std::min(wrapped.find('\n', begin), wrapped.size());
    std::string_view line(wrapped.data() + begin, end - begin);
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    out_ += line.substr(0, blanks);
    out_ += tone == Tone::kStrong ? std::string(line.substr(blanks))
                                  : Paint(style_, tone, line.substr(blanks));
    out_ += '\n';
    begin = end + 1;
  }
}

void ExceptionsTextWriter::Summary() {
  out_ += Paint(style_, Tone::kStrong, "Exceptions of " + RecordingTitle(report_.model->facts));
  out_ += "\n\n";
  if (report_.findings.empty()) {
    Sentence(Tone::kStrong, NothingFoundSentence(report_));
    return;
  }
  std::string line = Plural(report_.count, "exception");
  if (report_.throws != report_.count) line += " in " + Plural(report_.throws, "throw");
  line += ", " + Plural(report_.findings.size(), "place");
  if (report_.to_ns > report_.from_ns) {
    const double seconds = static_cast<double>(report_.to_ns - report_.from_ns) / 1e9;
    line += ", " + analyzer::Rate(static_cast<double>(report_.count) / seconds);
  }
  line += "; " + FormatDuration(report_.total_ns) + " from throw to catch in total";
  Sentence(Tone::kStrong, line + ".");
  Sentence(report_.endings[0] + report_.probably_unhandled > 0 ? Tone::kBad : Tone::kStrong,
           EndingsSentence(report_));
}

void ExceptionsTextWriter::FatalError() {
  const analyzer::FatalError& error = *report_.fatal_error->error;
  out_ += '\n';
  Sentence(Tone::kBad, std::string(FatalErrorTitle(error.kind)) + ", " + FormatMoment(error.at_ns) +
                           " after the start.");
  if (!error.message.empty()) {
    Row("message", ShortenEnd(style_, '"' + Printable(error.message) + '"', ValueColumns()));
  }
  std::string_view label = "stack";
  for (const MethodId method : report_.model->dictionaries.Path(error.stack)) {
    Row(std::exchange(label, ""), Name(method, ValueColumns()));
  }
  Row("thread", ThreadLabel(*report_.model, error.thread));
}

void ExceptionsTextWriter::Heading(size_t rank, const ExceptionFinding& finding) {
  const uint64_t count = finding.group.count;
  std::string right = FormatCount(count) + (count == 1 ? " time" : " times");
  if (report_.findings.size() > 1) {
    right += ", " + FormatPercent(static_cast<double>(count) / static_cast<double>(report_.count));
  }
  const std::string left = "#" + std::to_string(rank);
  std::string verdict;
  if (finding.group.EndedAs(Ending::kUnhandled) > 0) {
    verdict = "UNHANDLED ";
  } else if (finding.probably_unhandled > 0) {
    verdict = "PROBABLY UNHANDLED ";
  }
  const size_t number = std::max<size_t>(left.size() + 1, kIndent);
  const size_t taken = number + verdict.size() + 2 + TextColumns(right);
  const size_t room = style_.width > taken + 20 ? style_.width - taken : 20;
  const std::string type = ShortenMiddle(
      style_, finding.is_rest ? "all other paths" : Printable(report_.names.Type(finding.type)),
      room);
  out_ += '\n';
  out_ += PadRight(left, number);
  out_ += Paint(style_, Tone::kBad, verdict);
  out_ += Paint(style_, Tone::kStrong, type);
  out_ += PadLeft("", room - std::min(room, TextColumns(type)) + 2);
  out_ += right + "\n";
}

void ExceptionsTextWriter::Rate(const ExceptionFinding& finding) {
  const ExceptionGroup& group = finding.group;
  const int64_t length = report_.to_ns - report_.from_ns;
  if (group.count < 2 || length <= 0) {
    return Row("when", FormatMoment(group.first_ns) + " after the start");
  }
  const std::vector<double> parts =
      group.times.Resampled(report_.from_ns, report_.to_ns, kSparkColumns);
  const double part_seconds = static_cast<double>(length) / 1e9 / kSparkColumns;
  const double peak = *std::max_element(parts.begin(), parts.end()) / part_seconds;
  std::string line = Sparkline(style_, parts);
  line += "  ";
  line += analyzer::Rate(static_cast<double>(group.count) / (static_cast<double>(length) / 1e9));
  line += ", peak " + analyzer::Rate(peak);
  const std::string span =
      "; from " + FormatMoment(group.first_ns) + " to " + FormatMoment(group.last_ns);
  if (TextColumns(line + span) <= ValueColumns()) line += span;
  Row("rate", line);
}

void ExceptionsTextWriter::Times(const ExceptionFinding& finding) {
  const ExceptionGroup& group = finding.group;
  const uint64_t count = group.Timed();
  if (count == 0) return;
  std::string line = FormatDuration(group.total_ns / count);
  if (count > 1) {
    line = "mean " + line;
    if (group.durations.count() > 0) {
      line += ", p99 " + FormatDuration(group.durations.Quantile(0.99));
      if (group.durations.count() < count) line += " of those with details";
    }
    line += ", total " + FormatDuration(group.total_ns);
  }
  line += finding.catchers.empty() ? " from throw to end" : " from throw to catch";
  if (group.finally_blocks > 0) line += ", " + Plural(group.finally_blocks, "finally block");
  if (group.filters > 0) line += ", " + Plural(group.filters, "filter");
  Row("time", ShortenEnd(style_, line, ValueColumns()));
}

// Whether the frame's line differs between variants of the path.
bool ExceptionsTextWriter::OtherPlaces(const ExceptionFinding& finding, size_t frame) const {
  if (options_.lines == nullptr || finding.places.empty()) return false;
  const auto line = [&](const PlacedPath& placed) {
    return options_.lines->Of(finding.path[frame], placed.il_offsets[frame]);
  };
  return std::any_of(
      finding.places.begin() + 1, finding.places.end(),
      [&](const PlacedPath& placed) { return line(placed) != line(finding.places[0]); });
}

// The throwing method, its callers, and the thread's root; the catcher is marked.
void ExceptionsTextWriter::Path(const ExceptionFinding& finding) {
  if (finding.path.empty()) {
    return Row("thrown in",
               finding.is_rest ? "paths beyond this tool's limit" : "an unrecorded location");
  }
  const MethodId catcher = finding.routes.empty() || finding.routes.front().hops.empty()
                               ? 0
                               : finding.routes.front().hops.front().catcher;
  struct Line {
    std::string text;
    bool keep = false;
    size_t calls = 1;  // consecutive calls of the same method
    MethodId method = 0;
  };
  std::vector<Line> lines;
  bool is_caught = false;
  size_t plumbing = 0;
  const auto flush = [&] {
    if (plumbing > 0) {
      lines.push_back({"(" + Plural(plumbing, "frame") + " of async infrastructure)"});
    }
    plumbing = 0;
  };
  for (size_t i = 0; i < finding.path.size(); ++i) {
    const MethodId method = finding.path[i];
    const bool catches = !is_caught && catcher != 0 && method == catcher;
    if (i != 0 && !catches && report_.model->dictionaries.method(method).is_plumbing) {
      ++plumbing;
      continue;
    }
    flush();
    const std::string_view mark = !catches ? "" : style_.unicode ? "  ← caught" : "  <- caught";
    const std::string_view others = OtherPlaces(finding, i) ? " and other lines" : "";
    const size_t columns = ValueColumns() - TextColumns(mark) - others.size();
    const int32_t il_offset = finding.places.empty() ? -1 : finding.places[0].il_offsets[i];
    const std::string name = Place(method, il_offset, columns) + std::string(others);
    is_caught = is_caught || catches;
    if (!lines.empty() && !catches &&
        (lines.back().text == name || Starts(method, lines.back().method))) {
      ++lines.back().calls;
      continue;
    }
    lines.push_back({name + std::string(mark), catches, 1, method});
  }
  flush();
  std::vector<std::string> shown;
  size_t hidden = 0;
  const bool shortens = options_.frames != 0 && lines.size() > options_.frames + 1;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool is_near = i + 1 < options_.frames || i + 1 == lines.size();
    if (shortens && !is_near && !lines[i].keep) {
      ++hidden;
      continue;
    }
    if (hidden > 0) shown.push_back("(" + FormatCount(hidden) + " more)");
    hidden = 0;
    // Two consecutive ones may be an async method and the stub that starts it, which are the same
    // to a programmer.
    std::string text = lines[i].text;
    if (lines[i].calls > 2) text += "  x" + FormatCount(lines[i].calls);
    shown.push_back(std::move(text));
  }
  for (size_t i = 0; i < shown.size(); ++i) Row(i == 0 ? "thrown in" : "", shown[i]);
}

// The place where a programmer looks, unless the path begins there.
void ExceptionsTextWriter::Place(const ExceptionFinding& finding) {
  const MethodId site = finding.place.site;
  if (site == 0 || report_.names.Display(site) == report_.names.Display(finding.path.front())) {
    return;
  }
  std::string through;
  if (finding.place.through != 0) {
    through = ", through " + Printable(report_.names.Display(finding.place.through));
  }
  Row("place",
      ShortenMiddle(style_, Printable(report_.names.Display(site)) + through, ValueColumns()));
}

void ExceptionsTextWriter::OtherPaths(const ExceptionFinding& finding) {
  const size_t others = finding.variants.size() - 1;
  if (others == 0) return;
  Row("paths", FormatCount(finding.variants.front().count) + "x on this path, " +
                   FormatCount(finding.group.count - finding.variants.front().count) + "x on " +
                   Plural(others, "other") + ":");
  std::vector<OtherPath> reported;
  for (const PathVariant& variant : std::span(finding.variants).subspan(1)) {
    AddOtherPath(
        reported,
        OtherPathText(report_.model->dictionaries, report_.names, finding.path, variant.path),
        variant.count);
  }
  for (size_t i = 0; i < std::min(reported.size(), kOtherPathsInText); ++i) {
    Row("",
        ShortenMiddle(style_, FormatCount(reported[i].amount) + "x " + Printable(reported[i].text),
                      ValueColumns()));
  }
}

void ExceptionsTextWriter::Catchers(const ExceptionFinding& finding) {
  // A single catcher is named in the verdict.
  if (finding.catchers.empty() ||
      (finding.catchers.size() == 1 && finding.group.EndedAs(Ending::kSwallowed) > 0)) {
    return;
  }
  for (size_t i = 0; i < std::min(finding.catchers.size(), kCatchersShown); ++i) {
    const CatchSite& site = finding.catchers[i];
    std::string suffix;
    if (finding.catchers.size() > 1) suffix = "  " + FormatCount(site.count) + "x";
    if (i + 1 == kCatchersShown && finding.catchers.size() > kCatchersShown) {
      suffix += ", and in " + FormatCount(finding.catchers.size() - kCatchersShown) + " more";
    }
    Row(i == 0 ? "caught in" : "",
        Place(site.method, site.il_offset, ValueColumns() - suffix.size()) + suffix);
  }
}

void ExceptionsTextWriter::Routes(const ExceptionFinding& finding) {
  const bool has_hops = std::any_of(finding.routes.begin(), finding.routes.end(),
                                    [](const Route& route) { return route.hops.size() > 1; });
  if (!has_hops) return;
  for (size_t i = 0; i < std::min(finding.routes.size(), kRoutesShown); ++i) {
    const Route& route = finding.routes[i];
    if (finding.routes.size() > 1) {
      Row(i == 0 ? "hops" : "",
          Plural(route.count, "time") + (route.hops.size() == 1 ? ", no hop:" : ":"));
    }
    std::string label = i == 0 && finding.routes.size() == 1 ? "hops" : "";
    for (size_t h = 0; h < route.hops.size(); ++h) {
      if (h == kHopsShown && route.hops.size() > kHopsShown + 1) {
        Row("", "... " + Plural(route.hops.size() - kHopsShown, "more hop"));
        break;
      }
      for (std::string& line : HopLines(report_, route.hops[h], h, style_, ValueColumns())) {
        Row(std::exchange(label, ""), line);
      }
    }
  }
  if (finding.routes.size() > kRoutesShown) {
    Row("", "and " + Plural(finding.routes.size() - kRoutesShown, "other path"));
  }
}

void ExceptionsTextWriter::Messages(const ExceptionFinding& finding) {
  if (options_.messages == 0 || finding.group.messages.total() == 0) return;
  const size_t shown = std::min(options_.messages, finding.messages.size());
  size_t digits = 0;
  for (size_t i = 0; i < shown; ++i) {
    digits = std::max(digits, FormatCount(finding.messages[i].count).size());
  }
  uint64_t others = finding.other_messages;
  for (size_t i = shown; i < finding.messages.size(); ++i) others += finding.messages[i].count;
  const bool all_alike = finding.messages.size() == 1 && others == 0;
  for (size_t i = 0; i < shown; ++i) {
    const Message& message = finding.messages[i];
    const std::string count =
        all_alike ? std::string() : PadLeft(FormatCount(message.count), digits) + "x ";
    const std::string text =
        message.text.empty() ? "(empty)" : "\"" + Printable(message.text) + "\"";
    Row(i == 0 ? "message" : "", count + ShortenEnd(style_, text, ValueColumns() - count.size()));
  }
  if (others > 0) {
    Row(shown == 0 ? "message" : "",
        FormatCount(others) +
            (finding.messages_exact ? "x others" : "x others, more than 32 different"));
  }
}

void ExceptionsTextWriter::Threads(const ExceptionFinding& finding) {
  const Model& model = *report_.model;
  const size_t count = finding.threads.size();
  const bool several = count > 1;
  const auto rest = [&](size_t shown) {
    if (!finding.group.threads.exact()) return std::string(", and more");
    return shown < count ? ", and " + FormatCount(count - shown) + " more" : std::string();
  };
  std::string line;
  size_t shown = 0;
  for (; shown < std::min(count, kThreadsNamed); ++shown) {
    std::string next = (shown == 0 ? "" : ", ") + ThreadLabel(model, finding.threads[shown].thread);
    if (several) next += " " + FormatCount(finding.threads[shown].count) + "x";
    if (shown > 0 && TextColumns(line + next + rest(shown + 1)) > ValueColumns()) break;
    line += next;
  }
  line += rest(shown);
  if (count > 0) Row(several ? "threads" : "thread", ShortenEnd(style_, line, ValueColumns()));
}

void ExceptionsTextWriter::Relations(std::string_view label,
                                     const std::vector<Relation>& relations) {
  for (size_t i = 0; i < std::min(relations.size(), kRelationsShown); ++i) {
    const Relation& relation = relations[i];
    std::string suffix = "  " + FormatCount(relation.count) + "x";
    if (relation.finding != 0) suffix += " (#" + std::to_string(relation.finding) + ")";
    const std::string text = Printable(report_.names.Type(relation.type)) + " in " +
                             Printable(report_.names.Display(relation.thrower));
    Row(i == 0 ? label : "", ShortenMiddle(style_, text, ValueColumns() - suffix.size()) + suffix);
  }
}

void ExceptionsTextWriter::Finding(size_t rank, const ExceptionFinding& finding) {
  Heading(rank, finding);
  for (const Verdict& verdict : Verdicts(report_, finding)) Sentence(verdict.tone, verdict.text);
  Place(finding);
  Path(finding);
  OtherPaths(finding);
  Catchers(finding);
  Routes(finding);
  Messages(finding);
  Relations("caused by", finding.causes);
  Relations("cause of", finding.wrappers);
  Relations("replaced by", finding.replacers);
  Relations("during", finding.thrown_during);
  Rate(finding);
  Times(finding);
  Threads(finding);
}

void ExceptionsTextWriter::Footer(size_t shown) {
  const size_t before = out_.size();
  for (const std::string& sentence : ExceptionLossSentences(*report_.model)) {
    out_ += Paint(style_, Tone::kWarning, Wrap("Note: " + sentence, style_.width - 6, 6)) + "\n";
  }
  if (options_.lines != nullptr) {
    for (const std::string& sentence : options_.lines->Notes()) {
      out_ += Wrap("Note: " + sentence, style_.width - 6, 6) + "\n";
    }
  }
  const RecordingFacts& facts = report_.model->facts;
  if (facts.end == EndReason::kBrokeOff) {
    out_ += Wrap("Note: The recording " + EndClause(*report_.model) +
                     ". Up to one second may be missing.",
                 style_.width - 6, 6) +
            "\n";
  }
  if (out_.size() > before) out_.insert(before, 1, '\n');
  if (report_.findings.empty()) return;
  if (out_.size() == before) out_ += '\n';
  std::string next;
  if (shown < report_.findings.size()) {
    next = Plural(report_.findings.size() - shown, "more place") + ": --top 0 shows all. ";
  }
  next += "--tree shows where they come from; --type, --focus, --thread, --from and --to filter.";
  out_ += Paint(style_, Tone::kFaint, Wrap(next, style_.width, 0)) + "\n";
}

std::string ExceptionsTextWriter::Write() {
  Summary();
  if (report_.fatal_error) FatalError();
  const size_t shown =
      options_.top == 0 ? report_.findings.size() : std::min(options_.top, report_.findings.size());
  for (size_t i = 0; i < shown; ++i) Finding(i + 1, report_.findings[i]);
  Footer(shown);
  return std::move(out_);
}

}  // namespace

std::string ExceptionsText(const ExceptionReport& report, const ExceptionTextOptions& options) {
  return ExceptionsTextWriter(report, options).Write();
}

}  // namespace hindsight::analyzer
