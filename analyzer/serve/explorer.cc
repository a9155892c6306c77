#include "analyzer/serve/explorer.h"

#include <algorithm>
#include <filesystem>

#include "analyzer/base/text.h"
#include "analyzer/exports/tables/schema.h"
#include "analyzer/page/descriptions.h"
#include "analyzer/report/json.h"
#include "analyzer/serve/explorer_files.h"

namespace hindsight::analyzer {
namespace {

constexpr char kHtml[] = "text/html; charset=utf-8";
constexpr char kJson[] = "application/json; charset=utf-8";
constexpr size_t kMostQueryBytes = 8 << 10;

struct ServedFile {
  std::string_view type, text;
};

// Files of the report's page, of the explorer, and of what the explorer adds to a report.
std::optional<ServedFile> FileOf(std::string_view name) {
  constexpr std::string_view kScript = "text/javascript; charset=utf-8";
  constexpr std::string_view kStyle = "text/css; charset=utf-8";
  constexpr std::string_view kText = "text/plain; charset=utf-8";
  static const std::string tables = DescribeTables();
  static const std::string report = ReportDescriptions() + std::string(kReportScript);
  static const std::string explorer = ReportDescriptions() + std::string(kExplorerScript);
  const std::pair<std::string_view, ServedFile> files[] = {
      {"report.js", {kScript, report}},
      {"report.css", {kStyle, kReportStyle}},
      {"explorer.js", {kScript, explorer}},
      {"explorer.css", {kStyle, kExplorerStyle}},
      {"beside_report.js", {kScript, kBesideReport}},
  };
  for (const auto& [known, file] : files) {
    if (known == name) return file;
  }
  if (name == "tables.txt") return ServedFile{kText, tables};
  return std::nullopt;
}

HttpResponse Failed(const Error& error) {
  const bool is_usage = error.exit_code == ExitCode::kUsage;
  return {.status = is_usage ? 400 : 422, .body = ValidUtf8(error.sentence) + "\n"};
}

HttpResponse NotAllowed(std::string_view allow) {
  return {.status = 405,
          .body = "This address only answers " + std::string(allow) + ".\n",
          .allow = allow};
}

HttpResponse NotFound() { return {.status = 404, .body = "There is nothing at this address.\n"}; }

// The requested page of a list.
Result<PageRange> RangeOf(const HttpTarget& target, const char* from = "from") {
  const auto first = target.Number(from, UINT32_MAX);
  if (!first) return first.error();
  const auto rows = target.Number("rows", Explorer::kMostRows);
  if (!rows) return rows.error();
  return PageRange{.from = first->value_or(0), .rows = rows->value_or(PageRange().rows)};
}

// The requested part of a recording.
Result<EventScope> ScopeOf(const HttpTarget& target) {
  EventScope scope;
  scope.thread = target.Text("thread");
  const auto from = target.Number("from", INT64_MAX);
  const auto to = target.Number("to", INT64_MAX);
  if (!from) return from.error();
  if (!to) return to.error();
  if (*from) scope.from_ns = static_cast<int64_t>(**from);
  if (*to) scope.to_ns = static_cast<int64_t>(**to);
  if (scope.to_ns <= scope.from_ns) {
    return Error{"The end of the time range is not after its start.", ExitCode::kUsage};
  }
  return scope;
}

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

HttpResponse Explorer::Answer(const HttpRequest& request) {
  if (std::optional<HttpResponse> refusal = access_.Refusal(request)) return std::move(*refusal);
  const Result<HttpTarget> target = ParseTarget(request.target);
  if (!target) return Failed(target.error());
  const std::vector<std::string>& path = target->path;
  const bool does = path.size() == 3 && path[1] == "do";
  if (does != (request.method == "POST")) return NotAllowed(does ? "POST" : "GET, HEAD");
  return does ? Do(*target) : AnswerTarget(*target);
}

HttpResponse Explorer::AnswerTarget(const HttpTarget& target) {
  const std::vector<std::string>& path = target.path;  // beginning with the token
  if (path.size() == 2 && path[1].empty()) {
    return {.type = kHtml, .body = std::string(kExplorerPage)};
  }
  if (path.size() == 2 && path[1] == "report") {
    Result<std::string> page = Report(target);
    if (!page) return Failed(page.error());
    return {.type = kHtml, .body = std::move(*page)};
  }
  if (path.size() == 3 && path[1] == "files") {
    const std::optional<ServedFile> file = FileOf(path[2]);
    if (!file) return NotFound();
    return {.type = std::string(file->type), .body = std::string(file->text)};
  }
  return path.size() == 3 && path[1] == "api" ? Api(target) : NotFound();
}

HttpResponse Explorer::Api(const HttpTarget& target) {
  constexpr std::pair<std::string_view, Answerer> kAnswers[] = {
      {"list", &Explorer::List},
      {"brief", &Explorer::Brief},
      {"types", &Explorer::Types},
      {"instances", &Explorer::Instances},
      {"object", &Explorer::Object},
      {"path", &Explorer::RootPath},
      {"dominated", &Explorer::Dominated},
      {"heapdiff", &Explorer::HeapDiff},
      {"snapshots", &Explorer::Snapshots},
      {"events", &Explorer::Events},
      {"flames", &Explorer::Flames},
      {"sql", &Explorer::Sql},
      {"status", &Explorer::ProcessStatus},
      {"processes", &Explorer::ListProcesses},
  };
  for (const auto& [name, answer] : kAnswers) {
    if (name != target.path[2]) continue;
    Result<std::string> json = (this->*answer)(target);
    if (!json) return Failed(json.error());
    return {.type = kJson, .body = std::move(*json)};
  }
  return NotFound();
}

HttpResponse Explorer::Do(const HttpTarget& target) {
  Result<std::string> json = processes_.Do(target.path[2], target);
  if (!json) return Failed(json.error());
  return {.type = kJson, .body = std::move(*json)};
}

Result<Explorer::Subject> Explorer::SubjectOf(const HttpTarget& target, std::string_view name) {
  const std::string_view wanted = target.Text(name);
  if (wanted.empty()) {
    return Error{"The parameter " + std::string(name) + " is missing.", ExitCode::kUsage};
  }
  const Result<FoundRecording> found = source_.Find(wanted);
  if (!found) return found.error();
  return Subject{found->path, found->bytes};
}

Result<std::string> Explorer::List(const HttpTarget&) {
  const Result<std::vector<FoundRecording>> all = source_.List();
  if (!all) return all.error();
  Json rows = Json::array();
  for (const FoundRecording& found : *all) {
    rows.push_back({{"recording", JsonText(NameOf(found.path))},
                    {"application", JsonText(found.application)},
                    {"pid", found.pid},
                    {"started_unix_ns", found.started_unix_ns},
                    {"bytes", found.bytes},
                    {"snapshots", found.snapshots}});
  }
  return JsonDump({{"place", JsonText(source_.Place())}, {"recordings", std::move(rows)}});
}

Result<std::string> Explorer::Brief(const HttpTarget& target) {
  const Result<Subject> subject = SubjectOf(target, "recording");
  if (!subject) return subject.error();
  const auto brief = briefs_.Get(*subject, [&]() -> Result<std::unique_ptr<std::string>> {
    Result<std::string> made = source_.Brief(subject->path);
    if (!made) return made.error();
    return std::make_unique<std::string>(std::move(*made));
  });
  return brief ? Result<std::string>(**brief) : brief.error();
}

Result<std::string> Explorer::Report(const HttpTarget& target) {
  const Result<Subject> subject = SubjectOf(target, "recording");
  if (!subject) return subject.error();
  Subject earlier;
  if (!target.Text("earlier").empty()) {
    Result<Subject> found = SubjectOf(target, "earlier");
    if (!found) return found.error();
    earlier = std::move(*found);
  }
  // What is inline in the page as a file comes from this server here, so that its policy can forbid
  // inline contents.
  const PageFrame frame = {.head =
                               "<link rel=\"stylesheet\" href=\"files/report.css\">\n"
                               "<link rel=\"stylesheet\" href=\"files/explorer.css\">\n",
                           .foot =
                               "<script src=\"files/report.js\"></script>\n"
                               "<script src=\"files/beside_report.js\"></script>\n"};
  const auto page =
      reports_.Get({*subject, earlier}, [&]() -> Result<std::unique_ptr<std::string>> {
        Result<std::string> made = source_.Report(subject->path, earlier.path, frame);
        if (!made) return made.error();
        return std::make_unique<std::string>(std::move(*made));
      });
  return page ? Result<std::string>(**page) : page.error();
}

Result<SharedCache<Explorer::HeapKey, HeapView>::Shared> Explorer::HeapOf(
    const HttpTarget& target) {
  const Result<Subject> subject = SubjectOf(target, "recording");
  if (!subject) return subject.error();
  const auto snapshot = target.Number("snapshot", UINT32_MAX);
  if (!snapshot) return snapshot.error();
  return heaps_.Get({*subject, *snapshot}, [&]() -> Result<std::unique_ptr<HeapView>> {
    std::optional<uint32_t> number;
    if (*snapshot) number = static_cast<uint32_t>(**snapshot);
    Result<std::unique_ptr<HeapParts>> parts = source_.Heap(subject->path, number);
    if (!parts) return parts.error();
    return std::make_unique<HeapView>(std::move(**parts));
  });
}

Result<std::string> Explorer::Snapshots(const HttpTarget& target) {
  const Result<Subject> subject = SubjectOf(target, "recording");
  if (!subject) return subject.error();
  const Result<std::vector<HeapFacts>> all = source_.Snapshots(subject->path);
  if (!all) return all.error();
  Json rows = Json::array();
  for (const HeapFacts& facts : *all) {
    if (facts.certified_objects == 0) continue;  // it has only threads, or no end
    rows.push_back({{"snapshot", facts.number},
                    {"unix_ns", facts.unix_ns},
                    {"objects", facts.certified_objects}});
  }
  return JsonDump({{"snapshots", std::move(rows)}});
}

Result<std::string> Explorer::Types(const HttpTarget& target) {
  const auto heap = HeapOf(target);
  return heap ? Result<std::string>((*heap)->Types()) : heap.error();
}

Result<std::string> Explorer::Instances(const HttpTarget& target) {
  const Result<PageRange> range = RangeOf(target);
  if (!range) return range.error();
  const auto heap = HeapOf(target);
  return heap ? (*heap)->Instances(target.Text("type"), *range) : heap.error();
}

Result<std::string> Explorer::Object(const HttpTarget& target) {
  const Result<PageRange> references = RangeOf(target, "references_from");
  if (!references) return references.error();
  const Result<PageRange> referrers = RangeOf(target, "referrers_from");
  if (!referrers) return referrers.error();
  const auto heap = HeapOf(target);
  if (!heap) return heap.error();
  return (*heap)->Object(target.Text("address"), {.rows = references->rows,
                                                  .references_from = references->from,
                                                  .referrers_from = referrers->from});
}

Result<std::string> Explorer::RootPath(const HttpTarget& target) {
  const auto heap = HeapOf(target);
  return heap ? (*heap)->RootPath(target.Text("address")) : heap.error();
}

Result<std::string> Explorer::Dominated(const HttpTarget& target) {
  const Result<PageRange> range = RangeOf(target);
  if (!range) return range.error();
  const auto heap = HeapOf(target);
  return heap ? (*heap)->Dominated(target.Text("address"), *range) : heap.error();
}

Result<std::string> Explorer::HeapDiff(const HttpTarget& target) {
  const Result<Subject> later = SubjectOf(target, "recording");
  if (!later) return later.error();
  const bool is_same = target.Text("earlier").empty();
  const Result<Subject> earlier = is_same ? later : SubjectOf(target, "earlier");
  if (!earlier) return earlier.error();
  std::optional<uint32_t> numbers[2];
  for (const int i : {0, 1}) {
    const auto number = target.Number(i == 0 ? "earlier_snapshot" : "snapshot", UINT32_MAX);
    if (!number) return number.error();
    if (*number) numbers[i] = static_cast<uint32_t>(**number);
  }
  return source_.HeapDiff(earlier->path, numbers[0], later->path, numbers[1]);
}

Result<std::string> Explorer::Events(const HttpTarget& target) {
  const Result<Subject> subject = SubjectOf(target, "recording");
  if (!subject) return subject.error();
  const Result<EventScope> scope = ScopeOf(target);
  if (!scope) return scope.error();
  return source_.Events(subject->path, *scope);
}

Result<std::string> Explorer::Flames(const HttpTarget& target) {
  const Result<Subject> subject = SubjectOf(target, "recording");
  if (!subject) return subject.error();
  const Result<EventScope> scope = ScopeOf(target);
  if (!scope) return scope.error();
  const std::string_view signal = target.Text("signal");
  if (std::ranges::find(kFlameSignals, signal) == std::end(kFlameSignals)) {
    return Error{"The parameter signal is one of cpu, allocations, exceptions and wall.",
                 ExitCode::kUsage};
  }
  return source_.Flames(subject->path, *scope, signal);
}

Result<std::string> Explorer::Sql(const HttpTarget& target) {
  const Result<Subject> subject = SubjectOf(target, "recording");
  if (!subject) return subject.error();
  const std::string_view query = target.Text("query");
  if (query.size() > kMostQueryBytes) {
    return Error{"The query is too long.", ExitCode::kUsage};
  }
  return source_.Sql(subject->path, std::string(query), [&] { return HeapOf(target); });
}

Result<std::string> Explorer::ListProcesses(const HttpTarget&) { return processes_.List(); }

Result<std::string> Explorer::ProcessStatus(const HttpTarget& target) {
  return processes_.Status(target);
}

}  // namespace hindsight::analyzer
