// A recording's model that overview tests fill with events, and the findings in it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {

class OverviewOfEvents : public ::testing::Test {
 protected:
  static constexpr int64_t kSecond = 1'000'000'000;

  OverviewOfEvents() {
    RecordingFacts& facts = model().facts;
    facts.last_ns = 10 * kSecond;
    facts.locks_on = facts.waits_on = facts.gc_on = true;
  }

  Model& model() { return scene_.model(); }

  Overview Find() {
    reports_ = MakeReports(std::make_unique<EventReports>(model()), nullptr);
    return FindAll(reports_);
  }
  static const Coverage& Of(const Overview& overview, Signal signal) {
    return overview.coverage.at(static_cast<size_t>(signal));
  }

  // Outermost first.
  StackId Stack(const std::vector<std::string>& methods) {
    StackId stack = 0;
    for (const std::string& method : methods) {
      stack = model().dictionaries.AddStack(stack, scene_.Method(method));
    }
    return stack;
  }
  TypeId Type(std::string_view name) {
    hindsight::analyzer::Type type;
    type.name = model().dictionaries.AddString(name);
    return model().dictionaries.AddType(type);
  }
  ExceptionGroup& Exceptions(std::string_view type, uint64_t count, uint64_t each_ns,
                             Ending ending = Ending::kSwallowed) {
    ExceptionGroup group;
    group.type = Type(type);
    group.stack = Stack({"Shop.Program.Main", "Shop.Cart.Load" + std::string(type)});
    group.count = group.throws[0] = count;
    group.total_ns = count * each_ns;
    group.endings[static_cast<size_t>(ending)] = count;
    model().exceptions.throws += count;
    model().exceptions.groups.push_back(std::move(group));
    return model().exceptions.groups.back();
  }
  // Requests that end with exceptions of a type, which `method` catches last.
  static constexpr char kMiddleware[] =
      "Microsoft.AspNetCore.Diagnostics.ExceptionHandlerMiddlewareImpl+<Invoke>d__1.MoveNext";
  static constexpr char kServer[] =
      "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol.ProcessRequests";
  void EndRequests(const char* type, uint64_t count, const char* method) {
    ExceptionGroup& group = Exceptions(type, count, 1000);
    Handler handler;
    handler.method = scene_.Method(method);
    group.swallowers.Add(model().dictionaries.AddHandler(handler), count);
  }
  // Exceptions that end in the task of an async method that is never awaited.
  void LeaveInTasks(const char* type, uint64_t count) {
    ExceptionGroup& group = Exceptions(type, count, 1000);
    Handler handler;
    handler.method = scene_.Method("Shop.Cart+<Load>d__1.MoveNext");
    handler.il_offset = 40;
    const HandlerId id = model().dictionaries.AddHandler(handler);
    group.swallowers.Add(id, count);
    model().exceptions.restored_from.resize(size_t{id} + 1);
    model().exceptions.restored_from[id] = 1;  // another time, it was awaited
  }
  void Served(const char* tags, uint64_t count) {
    RequestKind& kind = model().requests.kinds.emplace_back();
    kind.tags = tags;
    kind.count = count;
    kind.total_ns = count * 1000;
  }
  void Pause(int64_t at_ns, uint64_t total_ns) {
    model().collections.pauses.push_back({.at_ns = at_ns, .total_ns = total_ns, .reason = 1});
    CollectionRow row;
    row.at_ns = at_ns;
    row.duration_ns = total_ns;
    row.type = CollectionType::kBlocking;
    model().collections.rows.push_back(row);
  }
  void LockWaits(uint64_t count, uint64_t total_ns, uint64_t longest_ns) {
    model().waits.groups.push_back(
        {.kind = WaitKind::kMonitor,
         .stack = Stack({"Shop.Cart.Add", "System.Threading.Monitor.Enter"}),
         .count = count,
         .total_ns = total_ns,
         .longest_ns = longest_ns});
  }

  testing::ProfileScene scene_;
  Reports reports_;
};

}  // namespace hindsight::analyzer
