#include "analyzer/fleet/catalogue_row.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

using Line = nlohmann::json;

constexpr int kCatalogueVersion = 1;
constexpr size_t kMostPathBytes = 4096;
constexpr double kMostNumber = 1e15;  // more than is ever measured; sums and ratios stay finite

bool IsNumber(double value) { return std::abs(value) <= kMostNumber; }

// Reads members; anything missing or of another type makes the whole row unusable.
class Members {
 public:
  explicit Members(const Line& object) : object_(object), ok_(object.is_object()) {}

  void Text(const char* key, std::string& text, size_t most = RecordingRow::kMostTextBytes) {
    const Line* const member = Find(key);
    if (member == nullptr || !member->is_string()) return Fail();
    text = member->get<std::string>();
    if (text.size() > most) Fail();
  }
  template <typename Number>
  void Count(const char* key, Number& number) {
    const Line* const member = Find(key);
    if (member == nullptr || !member->is_number_unsigned()) return Fail();
    const auto value = member->get<uint64_t>();
    if (value > std::numeric_limits<Number>::max()) return Fail();
    number = static_cast<Number>(value);
  }
  void Real(const char* key, double& number) {
    const Line* const member = Find(key);
    if (member == nullptr || !member->is_number()) return Fail();
    number = member->get<double>();
    if (!IsNumber(number)) Fail();
  }
  const Line* Find(const char* key) const {
    if (!ok_) return nullptr;
    const auto member = object_.find(key);
    return member == object_.end() ? nullptr : &*member;
  }
  void Fail() { ok_ = false; }
  bool ok() const { return ok_; }

 private:
  const Line& object_;
  bool ok_;
};

std::optional<Severity> SeverityOf(const std::string& name) {
  for (const Severity severity : {Severity::kCritical, Severity::kWarning, Severity::kNote}) {
    if (name == SeverityName(severity)) return severity;
  }
  return std::nullopt;
}

std::optional<Signal> SignalOf(const std::string& name) {
  for (size_t i = 0; i < kComparedSignals; ++i) {
    if (name == SignalName(static_cast<Signal>(i))) return static_cast<Signal>(i);
  }
  return std::nullopt;
}

std::optional<RowFinding> FindingOf(const Line& line) {
  Members members(line);
  RowFinding finding;
  std::string severity, signal;
  members.Text("severity", severity);
  members.Text("signal", signal);
  members.Text("kind", finding.kind);
  members.Text("subject", finding.subject);
  members.Text("title", finding.title);
  members.Text("command", finding.command);
  members.Real("impact", finding.impact);
  const auto severity_of = SeverityOf(severity);
  const auto signal_of = SignalOf(signal);
  if (!members.ok() || !severity_of || !signal_of) return std::nullopt;
  finding.severity = *severity_of;
  finding.signal = *signal_of;
  return finding;
}

// Parses without exceptions; discarded if it is not JSON.
Line ParseLine(std::string_view text) {
  return Line::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace

std::string CatalogueHead(std::string_view made_by) {
  return Line({{"hindsight_fleet", kCatalogueVersion}, {"made_by", std::string(made_by)}}).dump();
}

// Invalid JSON is neither equal to anything nor different from it.
bool IsCatalogueHead(std::string_view line, std::string_view made_by) {
  return ParseLine(line) == ParseLine(CatalogueHead(made_by));
}

std::optional<RecordingRow> ParseCatalogueRow(std::string_view text) {
  const Line line = ParseLine(text);
  Members members(line);
  RecordingRow row;
  members.Text("path", row.path, kMostPathBytes);
  members.Count("files", row.stamp.files);
  members.Count("bytes", row.stamp.bytes);
  members.Count("modified_ns", row.stamp.modified_ns);
  members.Count("recording_id", row.recording_id);
  members.Count("part_of", row.part_of);
  members.Text("application", row.application);
  members.Text("host", row.host);
  members.Text("runtime", row.runtime);
  members.Text("build", row.build);
  members.Count("pid", row.pid);
  members.Count("process_started_unix_ns", row.process_started_unix_ns);
  members.Count("started_unix_ns", row.started_unix_ns);
  members.Count("duration_ns", row.duration_ns);
  members.Count("covered", row.covered);
  const Line* const numbers = members.Find("numbers");
  const Line* const findings = members.Find("findings");
  if (!members.ok() || numbers == nullptr || !numbers->is_object() || findings == nullptr ||
      !findings->is_array() || findings->size() > RecordingRow::kMostFindings) {
    return std::nullopt;
  }
  for (size_t i = 0; i < kFleetNumbers.size(); ++i) {
    const auto number = numbers->find(std::string(kFleetNumbers[i].measure));
    if (number == numbers->end()) continue;
    if (!number->is_number() || !IsNumber(number->get<double>())) return std::nullopt;
    row.numbers[i] = number->get<double>();
  }
  for (const Line& one : *findings) {
    std::optional<RowFinding> finding = FindingOf(one);
    if (!finding) return std::nullopt;
    row.findings.push_back(std::move(*finding));
  }
  return row;
}

std::string CatalogueLine(const RecordingRow& row) {
  Line numbers = Line::object();
  for (size_t i = 0; i < kFleetNumbers.size(); ++i) {
    if (row.numbers[i]) numbers[std::string(kFleetNumbers[i].measure)] = *row.numbers[i];
  }
  Line findings = Line::array();
  for (const RowFinding& finding : row.findings) {
    findings.push_back({{"severity", SeverityName(finding.severity)},
                        {"signal", SignalName(finding.signal)},
                        {"kind", finding.kind},
                        {"subject", finding.subject},
                        {"title", finding.title},
                        {"command", finding.command},
                        {"impact", finding.impact}});
  }
  const Line line = {{"path", row.path},
                     {"files", row.stamp.files},
                     {"bytes", row.stamp.bytes},
                     {"modified_ns", row.stamp.modified_ns},
                     {"recording_id", row.recording_id},
                     {"part_of", row.part_of},
                     {"application", row.application},
                     {"host", row.host},
                     {"runtime", row.runtime},
                     {"build", row.build},
                     {"pid", row.pid},
                     {"process_started_unix_ns", row.process_started_unix_ns},
                     {"started_unix_ns", row.started_unix_ns},
                     {"duration_ns", row.duration_ns},
                     {"covered", row.covered},
                     {"numbers", std::move(numbers)},
                     {"findings", std::move(findings)}};
  return line.dump(-1, ' ', false, Line::error_handler_t::replace);
}

}  // namespace hindsight::analyzer
