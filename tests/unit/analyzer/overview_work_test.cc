// Jobs and messages that fail, and workers that block on tasks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

class OverviewOfWork : public OverviewOfEvents {
 protected:
  // A method of a package.
  MethodId OfPackage(const char* type_name, const char* name) {
    Dictionaries& dictionaries = model().dictionaries;
    Module module;
    module.path = dictionaries.AddString("/home/ann/.nuget/packages/jobs/1.0.0/lib/Jobs.dll");
    module.assembly = dictionaries.AddString("Jobs");
    hindsight::analyzer::Type type;
    type.name = dictionaries.AddString(type_name);
    type.module = dictionaries.AddModule(module);
    Method method;
    method.name = dictionaries.AddString(name);
    method.module = type.module;
    method.type = dictionaries.AddType(type);
    return dictionaries.AddMethod(method);
  }
};

// Record.Exception, for example.
TEST_F(OverviewOfWork, WhatATestFrameworkCatchesIsExpectedOrReportedByIt) {
  const auto found_if_caught_in = [&](const char* type) {
    model().exceptions.groups.clear();
    Handler handler;
    handler.method = OfPackage(type, "Exception");
    const uint64_t count = OverviewRules{}.failing_work;
    Exceptions("Shop.Full", count, 1000)
        .swallowers.Add(model().dictionaries.AddHandler(handler), count);
    return !Find().findings.empty();
  };
  EXPECT_TRUE(found_if_caught_in("Jobs.Record"));
  EXPECT_FALSE(found_if_caught_in("Xunit.Record"));
}

// A library calls a method of yours for each job, and catches what it throws.
TEST_F(OverviewOfWork, JobsThatFailAreANoteAndWhereTheyAreManyAWarning) {
  const OverviewRules rules;
  Handler handler;
  handler.method = OfPackage("Jobs.Worker", "Perform");
  const HandlerId worker = model().dictionaries.AddHandler(handler);
  Exceptions("Shop.Full", rules.failed_work, 1000).swallowers.Add(worker, rules.failed_work);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "failing-work");
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].title,
            "Shop.Cart.LoadShop.Full fails 0.5 times a second with "
            "Shop.Full");
  EXPECT_NE(overview.findings[0].evidence.find("caught in Jobs.Worker.Perform"), std::string::npos)
      << overview.findings[0].evidence;
  const auto again = [&](const char* type, uint64_t count) {
    model().exceptions.groups.clear();
    ExceptionGroup& group = Exceptions(type, count, 1000);
    group.swallowers.Add(worker, count);
    return Find().findings;
  };
  EXPECT_TRUE(again("Shop.Full", rules.failed_work - 1).empty());
  EXPECT_TRUE(again("System.OperationCanceledException", rules.failing_work).empty());
  model().facts.last_ns = 50 * kSecond;  // 6 a minute
  EXPECT_EQ(again("Shop.Full", rules.failed_work).size(), 1u);
  model().facts.last_ns = 51 * kSecond;
  EXPECT_TRUE(again("Shop.Full", rules.failed_work).empty());

  model().facts.last_ns = 100 * kSecond;  // one a second
  std::vector<Finding> found = again("Shop.Full", rules.failing_work);
  ASSERT_EQ(found.size(), 1u);  // and not reported as the most frequent exceptions
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(again("Shop.Full", rules.failing_work - 1)[0].severity, Severity::kNote);
  model().facts.last_ns = 101 * kSecond;
  EXPECT_EQ(again("Shop.Full", rules.failing_work)[0].severity, Severity::kNote);

  // This many places are reported.
  model().facts.last_ns = 10 * kSecond;
  model().exceptions.groups.clear();
  for (const char* type : {"Shop.A", "Shop.B", "Shop.C", "Shop.D"}) {
    Exceptions(type, rules.failing_work, 1000).swallowers.Add(worker, rules.failing_work);
  }
  EXPECT_EQ(Find().findings.size(), rules.failing_work_reported);

  // Exceptions that code of yours catches are not reported.
  model().exceptions.groups.clear();
  Handler own;
  own.method = scene_.Method("Shop.Cart.Try");
  Exceptions("Shop.Full", rules.failed_work, 1000)
      .swallowers.Add(model().dictionaries.AddHandler(own), rules.failed_work);
  EXPECT_TRUE(Find().findings.empty());
}

// The host logs what ends a BackgroundService, and does not start it again.
TEST_F(OverviewOfWork, ABackgroundServiceThatAnExceptionEndedIsReported) {
  Handler handler;
  handler.method = scene_.Method(
      "Microsoft.Extensions.Hosting.Internal.Host+<TryExecuteBackgroundServiceAsync>d__18."
      "MoveNext");
  const HandlerId host = model().dictionaries.AddHandler(handler);
  Exceptions("Shop.Full", 1, 1000).swallowers.Add(host, 1);
  const std::vector<Finding> found = Find().findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "ended-service");
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title, "Shop.Full in Shop.Cart.LoadShop.Full ended a BackgroundService");
  // It was asked to end.
  model().exceptions.groups.clear();
  Exceptions("System.OperationCanceledException", 1, 1000).swallowers.Add(host, 1);
  EXPECT_TRUE(Find().findings.empty());
}

// A parser that meets its input's end throws and catches: no work of yours has failed.
TEST_F(OverviewOfWork, WhatALibraryCatchesBelowYourCodeIsNoFailedJob) {
  const OverviewRules rules;
  Dictionaries& dictionaries = model().dictionaries;
  Handler handler;
  handler.method = OfPackage("Jobs.Reader", "Next");
  const HandlerId reader = dictionaries.AddHandler(handler);
  const MethodId refill = OfPackage("Jobs.Reader", "Refill");
  const auto found = [&](const std::vector<MethodId>& path) {  // outermost first
    model().exceptions.groups.clear();
    ExceptionGroup& group = Exceptions("System.IO.IOException", rules.failed_work, 1000);
    group.swallowers.Add(reader, rules.failed_work);
    group.stack = 0;
    for (const MethodId method : path) group.stack = dictionaries.AddStack(group.stack, method);
    return Find().findings.size();
  };
  const MethodId yours = scene_.Method("Shop.Cart.Load");
  EXPECT_EQ(found({yours, handler.method, refill}), 0u);
  EXPECT_EQ(found({yours, refill, handler.method}), 0u);  // in the method that throws
  EXPECT_EQ(found({handler.method, yours, refill}), 1u);
  EXPECT_EQ(found({yours, refill}), 1u);  // not on the stack: it awaited yours
  // A test calls Assert.Throws: it expects that. Main may run the library.
  const MethodId test = scene_.Method("Shop.Tests.Rejects");
  EXPECT_EQ(found({refill, test, handler.method, yours}), 0u);
  EXPECT_EQ(found({test, handler.method, yours}), 1u);
}

// The same for each request.
TEST_F(OverviewOfWork, WhatALibraryThrowsAndCatchesByItselfIsNoStorm) {
  Dictionaries& dictionaries = model().dictionaries;
  const MethodId yours = scene_.Method("Shop.Cart.Load");
  const MethodId next = OfPackage("Jobs.Reader", "Next"), refill = OfPackage("Jobs.Reader", "Fill");
  model().requests.finished = 100;
  const auto found = [&](MethodId catcher) {
    model().exceptions.groups.clear();
    ExceptionGroup& group = Exceptions("System.IO.IOException", 100, 1000);
    Handler handler;
    handler.method = catcher;
    group.handlers.Add(dictionaries.AddHandler(handler), 100);
    group.stack = 0;
    for (const MethodId method : {yours, next, refill}) {
      group.stack = dictionaries.AddStack(group.stack, method);
    }
    return Find().findings.at(0);
  };
  EXPECT_EQ(found(yours).kind, "storm");
  EXPECT_EQ(found(next).severity, Severity::kNote) << found(next).title;
}

// The waits were so short that no event reports them.
TEST_F(OverviewOfWork, WorkersThatBlockOnTasksAreKnownByTheThreadSnapshotsAlone) {
  const OverviewRules rules;
  for (int i = 0; i < 4; ++i) {
    model().waits.samples.push_back({i * kSecond, 2, 0, static_cast<uint64_t>(7 + i)});
  }
  const auto look = [&](bool shows, ThreadRunState state) {
    ThreadSnapshot snapshot;
    snapshot.at_ns = kSecond;
    if (shows) {
      ThreadInSnapshot worker;
      worker.stack = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                            "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                            "System.Threading.Tasks.Task.InternalWait",
                            "System.Threading.Tasks.Task.SpinWait"});
      worker.state = state;
      snapshot.threads = {worker};
    }
    model().waits.snapshots.push_back(std::move(snapshot));
  };
  const auto blocking = [&]() -> std::optional<Severity> {
    for (const Finding& finding : Find().findings) {
      if (finding.kind == "blocking-on-tasks") return finding.severity;
    }
    return std::nullopt;
  };
  look(true, ThreadRunState::kRunning);  // it spins
  ASSERT_EQ(rules.blocking_workers, 0.05);
  for (int i = 1; i < 20; ++i) look(false, ThreadRunState::kSleeping);
  EXPECT_EQ(blocking(), Severity::kNote);
  EXPECT_EQ(Find().findings[0].title,
            "Shop.Cart.Load blocks thread pool workers on tasks, in 1 of 20 thread snapshots");
  look(false, ThreadRunState::kSleeping);
  EXPECT_EQ(blocking(), std::nullopt);

  model().waits.snapshots.clear();
  for (uint64_t i = 0; i < rules.blocking_looks; ++i) look(true, ThreadRunState::kSleeping);
  EXPECT_EQ(blocking(), Severity::kWarning);
  ASSERT_EQ(rules.many_blocking_workers, 0.25);
  for (uint64_t i = 0; i < 3 * rules.blocking_looks; ++i) look(false, ThreadRunState::kSleeping);
  EXPECT_EQ(blocking(), Severity::kWarning);
  look(false, ThreadRunState::kSleeping);
  EXPECT_EQ(blocking(), Severity::kNote);
  model().waits.snapshots.resize(rules.blocking_looks - 1);
  EXPECT_EQ(blocking(), Severity::kNote);
}

TEST_F(OverviewOfWork, ThreadsThatAreStartedAgainAndAgainAreReported) {
  const OverviewRules rules;
  model().facts.threads_on = true;
  double last_start = 1;  // as a share of the time
  const char* creator = "Shop.Mail.Send";
  const auto found = [&](uint64_t count, const char* name, double seconds, uint64_t alive = 0) {
    model().threads.resize(1);
    model().facts.last_ns = static_cast<int64_t>(seconds * 1e9);
    for (uint64_t i = 0; i < count; ++i) {
      ThreadInfo& thread = model().threads.emplace_back();
      thread.has_start = true;
      thread.has_end = i >= alive;
      thread.start_ns = static_cast<int64_t>(last_start * seconds * 1e9 /
                                             static_cast<double>(count) * static_cast<double>(i));
      thread.name = model().dictionaries.AddString(name + std::to_string(i));
      thread.creator_stack = Stack({creator, "System.Threading.Thread.Start"});
    }
    std::vector<Finding> findings = Find().findings;
    std::erase_if(findings, [](const Finding& other) { return other.kind != "thread-churn"; });
    return findings;
  };
  const uint64_t many = rules.churned_threads;
  const double seconds = static_cast<double>(many) / rules.churned_threads_per_second;
  ASSERT_EQ(found(many, "Mailer #", seconds).size(), 1u);
  EXPECT_EQ(found(many, "Mailer #", 25)[0].title,
            "2.0 threads are started a second, all named Mailer, in Shop.Mail.Send");
  EXPECT_EQ(found(many, "Mailer #", 25)[0].severity, Severity::kNote);
  EXPECT_EQ(found(many, "Mailer #", 10)[0].severity, Severity::kWarning);
  const auto staying = static_cast<uint64_t>(std::ceil(rules.churned_threads_alive * 50));
  EXPECT_EQ(found(50, "Mailer #", 25, staying)[0].severity, Severity::kWarning);
  EXPECT_EQ(found(50, "Mailer #", 25, staying)[0].title,
            "2.0 threads are started a second and do not end, all named Mailer, in Shop.Mail.Send");
  EXPECT_EQ(found(50, "Mailer #", 25, staying - 1)[0].severity, Severity::kNote);
  creator = "System.Net.Mail.SmtpClient.Send";
  EXPECT_EQ(found(many, "Mailer #", 10)[0].severity, Severity::kNote);
  EXPECT_EQ(found(50, "Mailer #", 25, staying)[0].severity, Severity::kWarning);
  creator = "Shop.Mail.Send";
  EXPECT_TRUE(found(many - 1, "Mailer #", 25).empty());
  EXPECT_TRUE(found(many, "Mailer #", rules.churn_seconds - 0.1).empty());
  last_start = 0.5;  // it has ended
  EXPECT_TRUE(found(many, "Mailer #", 25).empty());
  last_start = 0.61;
  EXPECT_EQ(found(many, "Mailer #", 25).size(), 1u);
  EXPECT_TRUE(found(many, "Mailer #", seconds + 0.1).empty());
  EXPECT_TRUE(found(many, ".NET TP Worker", 25).empty());
}

}  // namespace
}  // namespace hindsight::analyzer
