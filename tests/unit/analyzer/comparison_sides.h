// Two recordings with steady work, to be compared.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {

// A recording of kLength nanoseconds with steady work.
class Side {
 public:
  static constexpr int64_t kSecond = 1'000'000'000;  // ns
  static constexpr int64_t kLength = 24 * kSecond;

  Side() { scene_.model().facts.last_ns = kLength; }

  testing::ProfileScene& scene() { return scene_; }
  Model& model() { return scene_.model(); }

  // CPU samples on a path, this many per second, evenly.
  void Burn(const std::vector<std::string>& path, int a_second) {
    const CallId call = scene_.Call(path);
    for (int64_t i = 0; i < kLength / kSecond * a_second; ++i) {
      scene_.Cpu(call, 1, 1, i * kSecond / a_second);
    }
  }

  void Allocate(const std::vector<std::string>& path, const std::string& type, int a_second) {
    const CallId call = scene_.Call(path);
    for (int64_t i = 0; i < kLength / kSecond * a_second; ++i) {
      scene_.Allocate(call, type, 1000, 100'000);
      model().samples.allocations.samples.back().at_ns = i * kSecond / a_second;
    }
  }

  // `path`: outermost first.
  void Throw(const std::string& type, const std::vector<std::string>& path, int a_second) {
    Dictionaries& dictionaries = model().dictionaries;
    ExceptionGroup group;
    Type name;
    name.name = dictionaries.AddString(type);
    group.type = dictionaries.AddType(name);
    for (const std::string& method : path) {
      group.stack = dictionaries.AddStack(group.stack, scene_.Method(method));
    }
    group.count = static_cast<uint64_t>(kLength / kSecond * a_second);
    group.throws[0] = group.count;
    group.last_ns = kLength - kSecond / a_second;
    for (uint64_t i = 0; i < group.count; ++i) {
      group.times.Add(static_cast<int64_t>(i) * kSecond / a_second);
    }
    model().exceptions.groups.push_back(group);
  }

  // Waits for a monitor, evenly; `path` is that of the waiting method.
  void Wait(std::vector<std::string> path, int a_second, int64_t each_ns) {
    model().facts.locks_on = true;
    if (!path.empty()) path.push_back("System.Threading.Monitor.Enter_Slowpath");
    WaitGroup group;
    group.kind = WaitKind::kMonitor;
    for (const std::string& method : path) {
      group.stack = model().dictionaries.AddStack(group.stack, scene_.Method(method));
    }
    group.count = static_cast<uint64_t>(kLength / kSecond * a_second);
    group.total_ns = group.count * static_cast<uint64_t>(each_ns);
    model().waits.groups.push_back(group);
    for (uint64_t i = 0; i < group.count; ++i) {
      WaitRow row;
      row.at_ns = static_cast<int64_t>(i) * kSecond / a_second;
      row.duration_ns = static_cast<uint64_t>(each_ns);
      row.kind = group.kind;
      row.stack = group.stack;
      model().waits.rows.push_back(row);
    }
  }

  // Stops of the runtime for collections of an unknown kind, evenly.
  void Pause(int a_second, int64_t each_ns) {
    for (int64_t i = 0; i < kLength / kSecond * a_second; ++i) {
      model().collections.pauses.push_back({.at_ns = i * kSecond / a_second,
                                            .stopping_ns = 1000,
                                            .total_ns = static_cast<uint64_t>(each_ns),
                                            .reason = 1});
    }
  }

  // Threads that `method` starts, evenly, and that end at once.
  void Start(const std::string& method, int a_second) {
    const StackId creator = model().dictionaries.AddStack(0, scene_.Method(method));
    for (int64_t i = 0; i < kLength / kSecond * a_second; ++i) {
      ThreadInfo& thread = model().threads[scene_.Thread("")];
      thread.has_start = thread.has_end = true;
      thread.start_ns = thread.end_ns = i * kSecond / a_second;
      thread.creator_stack = creator;
    }
  }

  // Requests of equal duration, evenly.
  struct Requests {
    std::string to;  // route, or server
    uint64_t count = 0;
    uint64_t each_ns = 10'000'000;
    RequestKind::Side side = RequestKind::Side::kServed;
    bool fail = false;
    // Only in one second, if set.
    std::optional<int64_t> in_second = {};
  };
  void Request(const Requests& requests) {
    RequestKind kind;
    kind.side = requests.side;
    kind.tags = "http.request.method=GET,";
    if (requests.fail) kind.tags += "error.type=Shop.Lost,http.response.status_code=500,";
    kind.tags += requests.side == RequestKind::Side::kServed ? "http.route=" : "server.address=";
    kind.tags += requests.to;
    kind.count = requests.count;
    kind.total_ns = requests.count * requests.each_ns;
    kind.durations.Add(requests.each_ns, requests.count);
    const int64_t from = requests.in_second.value_or(0) * kSecond;
    const int64_t to = requests.in_second ? from + kSecond : kLength;
    kind.counts.AddEvenly(from, to, kind.count);
    kind.times.AddEvenly(from, to, kind.total_ns);
    model().facts.requests_on = model().facts.routes_on = true;
    model().requests.kinds_from_ns = 0;
    model().requests.kinds.push_back(std::move(kind));
  }

  Reports Analyze() { return MakeReports(std::make_unique<EventReports>(model()), nullptr); }

 private:
  testing::ProfileScene scene_;
};

class ComparisonTest : public ::testing::Test {
 protected:
  Comparison Compare(const ComparisonRules& rules = {}) {
    old_reports_ = before_.Analyze();
    new_reports_ = after_.Analyze();
    return analyzer::Compare(old_reports_, new_reports_, rules);
  }
  // The title of the only difference.
  std::string OnlyTitle() {
    const Comparison comparison = Compare();
    std::string titles;
    for (const Difference& difference : comparison.differences) titles += difference.title + "\n";
    EXPECT_EQ(comparison.differences.size(), 1u) << titles;
    return comparison.is_empty() ? "" : comparison.differences.front().title;
  }

  Side before_, after_;
  Reports old_reports_, new_reports_;
};

}  // namespace hindsight::analyzer
