// A recording for tests of thresholds: the same on one side of each, and on the other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/model/runtime_work.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {

// A recording of ten seconds.
class OverviewRulesTest : public ::testing::Test {
 protected:
  OverviewRulesTest() {
    RecordingFacts& facts = model().facts;
    facts.last_ns = 10 * kSecondNs;
    facts.gc_on = facts.locks_on = facts.waits_on = true;
  }

  static constexpr int64_t kSecondNs = 1'000'000'000;

  Model& model() { return scene_.model(); }

  std::vector<Finding> All(std::string_view kind) {
    reports_ = MakeReports(std::make_unique<EventReports>(model()), nullptr);
    std::vector<Finding> found = FindAll(reports_, rules_).findings;
    std::erase_if(found, [kind](const Finding& finding) { return finding.kind != kind; });
    return found;
  }
  // The first finding of that kind; empty if there is none.
  Finding Find(std::string_view kind) {
    const std::vector<Finding> found = All(kind);
    return found.empty() ? Finding() : found.front();
  }
  bool Finds(std::string_view kind) { return !All(kind).empty(); }

  // Outermost first.
  StackId Stack(const std::vector<std::string>& methods) {
    StackId stack = 0;
    for (const std::string& method : methods) {
      stack = model().dictionaries.AddStack(stack, scene_.Method(method));
    }
    return stack;
  }

  void Throw(const std::string& type, uint64_t count, uint64_t each_ns) {
    ExceptionGroup group;
    Type name;
    name.name = model().dictionaries.AddString(type);
    group.type = model().dictionaries.AddType(name);
    group.stack = Stack({"Shop.Program.Main", type + ".Load"});
    group.count = group.throws[0] = count;
    group.total_ns = count * each_ns;
    group.endings[static_cast<size_t>(Ending::kSwallowed)] = count;
    model().exceptions.groups.push_back(std::move(group));
  }

  void Burn(const std::vector<std::string>& path, uint32_t samples) {
    scene_.Cpu(scene_.Call(path), samples);
  }

  // 1 GB each.
  void Allocate(const std::string& method, const std::string& type, uint64_t samples,
                AllocationHeap heap = AllocationHeap::kSmall) {
    const CallId call = scene_.Call({"Shop.Program.Main", method});
    for (uint64_t i = 0; i < samples; ++i) {
      scene_.Allocate(call, type, 1000, 1e9);
      model().samples.allocations.samples.back().heap = heap;
    }
  }

  // Collections that are pauses as a whole.
  void Pause(int count, uint64_t each_ns, uint32_t generation, bool induced = false) {
    for (int64_t i = 0; i < count; ++i) {
      CollectionRow row;
      row.at_ns = i * kSecondNs / 2;
      row.duration_ns = each_ns;
      row.generation = generation;
      row.type = CollectionType::kBlocking;
      row.induced = induced;
      model().collections.rows.push_back(row);
      model().collections.pauses.push_back({.at_ns = row.at_ns, .total_ns = each_ns, .reason = 1});
    }
  }

  testing::ProfileScene scene_;
  OverviewRules rules_;
  Reports reports_;
};

}  // namespace hindsight::analyzer
