#include "tests/live/harness/served_requests.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/live/harness/raw_recording.h"
#include "tests/live/harness/recording.h"

namespace hindsight::live {
namespace {

using nlohmann::json;

constexpr int kAllRequests = kFastRequests + kSlowRequests + kFailingRequests + kClosedRequests;

class Differences {
 public:
  void Expect(const std::string& what, const json& found, const json& expected) {
    if (found != expected) {
      text_ += what + ": " + found.dump() + " instead of " + expected.dump() + '\n';
    }
  }
  void Add(const std::string& what) { text_ += what + '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string RequestDifferences(const std::filesystem::path& recording, const json& said) {
  Differences differences;
  const int failing = said.at("failed"), all = said.at("requests"), held = said.at("held");
  const int errors = failing + said.at("closed").get<int>();
  differences.Expect("answered", said.at("answered"), all - errors + held);
  differences.Expect("refused", said.at("refused"), errors);

  const RawRecording raw(recording);
  differences.Expect("lost", raw.lost, 0u);
  uint64_t started = 0, finished = 0, failed = 0, server_errors = 0, busy_ns = 0;
  for (const RequestCounts& counts : raw.requests) {
    started += counts.started();
    finished += counts.finished();
    failed += counts.failed();
    server_errors += counts.server_errors();
    busy_ns += counts.busy_ns();
  }
  differences.Expect("started", started, all);
  differences.Expect("finished", finished, all);
  differences.Expect("failed", failed, failing);
  differences.Expect("server errors", server_errors, errors);
  if (raw.requests.empty()) {
    differences.Add("no requests");
  } else {
    differences.Expect("in flight at the end", raw.requests.back().in_flight(), 0u);
  }

  const json reported = HindsightJson("info", recording).at("requests");
  differences.Expect("info: finished", reported.at("finished"), finished);
  differences.Expect("info: failed", reported.at("failed"), failed);
  differences.Expect("info: server_errors", reported.at("server_errors"), errors);
  differences.Expect("info: total_ns", reported.at("total_ns"), busy_ns);
  return differences.text();
}

std::string RouteDifferences(const json& report) {
  constexpr int64_t kSlowNs = 49'000'000;
  Differences differences;
  differences.Expect("is_partial", report.at("is_partial"), false);
  const json& served = report.at("served");
  differences.Expect("routes", served.size(), 4u);
  const auto row_of = [&](const std::string& target) {
    const auto row = std::ranges::find_if(
        served, [&](const json& candidate) { return candidate.at("target") == target; });
    if (row != served.end()) return *row;
    differences.Add("no row of " + target);
    return json();
  };
  if (const json item = row_of("/item"); !item.is_null()) {
    differences.Expect("/item", item.at("count"), kFastRequests);
    differences.Expect("/item, failed", item.at("failed"), 0);
  }
  if (const json slow = row_of("/report"); !slow.is_null()) {
    differences.Expect("/report", slow.at("count"), kSlowRequests);
    if (slow.at("p50_ns") < kSlowNs) differences.Add("/report: p50 " + slow.at("p50_ns").dump());
    if (slow.at("total_ns") < kSlowRequests * kSlowNs) {
      differences.Add("/report: total " + slow.at("total_ns").dump());
    }
  }
  if (const json broken = row_of("/broken"); !broken.is_null()) {
    differences.Expect("/broken, failed", broken.at("failed"), kFailingRequests);
    const json& endings = broken.at("endings");
    differences.Expect("/broken, endings", endings.size(), 1u);
    for (const json& ending : endings) {
      differences.Expect("status", ending.at("status"), "500");
      differences.Expect("error", ending.at("error"), "System.InvalidOperationException");
    }
  }
  if (const json closed = row_of("/closed"); !closed.is_null()) {
    differences.Expect("/closed, failed", closed.at("failed"), kClosedRequests);
  }
  const json& made = report.at("made");
  differences.Expect("addresses", made.size(), 1u);
  for (const json& row : made) {
    if (!row.at("target").get<std::string>().starts_with("127.0.0.1:")) {
      differences.Add("address: " + row.dump());
    }
    differences.Expect("calls", row.at("count"), kAllRequests);
    differences.Expect("calls that failed", row.at("failed"), kFailingRequests + kClosedRequests);
  }
  return differences.text();
}

}  // namespace hindsight::live
