#include "analyzer/fleet/catalogue.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;
using Line = nlohmann::json;

constexpr int kCatalogueVersion = 1;
constexpr uint64_t kMostCatalogueBytes = 256u << 20;
constexpr size_t kMostPathBytes = 4096;
constexpr double kMostNumber = 1e15;  // beyond any that is measured; sums and ratios stay finite

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

Line HeadOf(std::string_view made_by) {
  return {{"hindsight_fleet", kCatalogueVersion}, {"made_by", std::string(made_by)}};
}

// Parses without exceptions; discarded where it is no JSON.
Line ParseLine(std::string_view text) {
  return Line::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace

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

CatalogueRows ReadCatalogue(const std::string& folder, std::string_view made_by) {
  CatalogueRows rows;
  const std::string name = folder + "/" + std::string(kCatalogueName);
  std::error_code error;
  if (fs::symlink_status(PathOf(name), error).type() != fs::file_type::regular) return rows;
  const uint64_t bytes = fs::file_size(PathOf(name), error);
  if (error || bytes > kMostCatalogueBytes) return rows;
  std::ifstream file(PathOf(name), std::ios::binary);
  std::string line;
  // What is no JSON is neither equal to anything nor different from it.
  if (!std::getline(file, line) || !(ParseLine(line) == HeadOf(made_by))) return rows;
  while (std::getline(file, line)) {
    if (std::optional<RecordingRow> row = ParseCatalogueRow(line)) {
      std::string path = row->path;
      rows.insert_or_assign(std::move(path), std::move(*row));
    }
  }
  return rows;
}

Result<void> WriteCatalogue(const std::string& folder, std::string_view made_by,
                            const CatalogueRows& rows) {
  const std::string name = folder + "/" + std::string(kCatalogueName);
  std::string part = name + ".";
  std::FILE* const file = CreatePrivateFileLike(part);
  if (file == nullptr) return CannotWrite(name, errno);
  const auto write = [file](const std::string& line) {
    return std::fwrite(line.data(), 1, line.size(), file) == line.size() &&
           std::fputc('\n', file) != EOF;
  };
  errno = 0;
  bool ok = write(HeadOf(made_by).dump());
  for (auto row = rows.begin(); ok && row != rows.end(); ++row) {
    ok = write(CatalogueLine(row->second));
  }
  int error = ok ? 0 : errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  std::error_code failure;
  if (error == 0 && ok) {
    fs::rename(PathOf(part), PathOf(name), failure);
    if (!failure) return {};
    error = ErrnoOf(failure);
  }
  fs::remove(PathOf(part), failure);
  return CannotWrite(name, error);
}

}  // namespace hindsight::analyzer
