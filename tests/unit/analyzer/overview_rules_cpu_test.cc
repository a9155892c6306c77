// The thresholds of OverviewRules for CPU time, each at its edge.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/hot_method.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/unit/analyzer/overview_rules_test.h"

namespace hindsight::analyzer {
namespace {

TEST_F(OverviewRulesTest, WhatAHotMethodCallsIsReportedIfItHasMostOfIt) {
  model().facts.cpus = 1;
  Burn({"Shop.Program.Main", "Shop.Order.Find", "System.Regex.Scan"}, 300);
  Burn({"Shop.Program.Main", "Shop.Order.Find"}, 300);
  const std::string reported = "Of these, 300 are in System.Regex.Scan.";
  rules_.hot_callee = 0.499;
  EXPECT_NE(Find("hot-path").evidence.find(reported), std::string::npos);
  rules_.hot_callee = 0.501;
  EXPECT_EQ(Find("hot-path").evidence.find("Of these"), std::string::npos);
}

// 0.8 of one CPU; three quarters of that on one path, and half of it in one more call.
TEST_F(OverviewRulesTest, APathIsHotByWhatItTakesOfTheProcessAndTheProcessOfTheCpus) {
  model().facts.cpus = 1;
  Burn({"Shop.Program.Main", "Shop.Order.Parse"}, 200);
  Burn({"Shop.Program.Main", "Shop.Order.Parse", "Shop.Order.Line"}, 400);
  Burn({"Shop.Program.Main", "Shop.Mail.Send"}, 100);
  Burn({"Shop.Program.Main", "Shop.Log.Write"}, 100);
  rules_.hot_part = 0.67;  // 400 of 600
  EXPECT_EQ(Find("hot-path").subject, "Shop.Order.Parse");
  rules_.hot_part = 0.66;
  EXPECT_EQ(Find("hot-path").subject, "Shop.Order.Line");
  rules_.hot_part = 0.67;

  rules_.busy_cpus = 0.799;
  rules_.hot_share = 0.749;
  EXPECT_EQ(Find("hot-path").severity, Severity::kWarning);
  rules_.hot_share = 0.751;
  EXPECT_EQ(Find("hot-path").severity, Severity::kNote);
  rules_.hot_share = 0.749;
  rules_.busy_cpus = 0.801;
  EXPECT_EQ(Find("hot-path").severity, Severity::kNote);

  rules_.hot_note_share = 0.749;
  EXPECT_TRUE(Finds("hot-path"));
  rules_.hot_note_share = 0.751;
  EXPECT_FALSE(Finds("hot-path"));
  rules_.hot_note_share = 0.749;
  rules_.hot_cores = 0.799;
  EXPECT_TRUE(Finds("hot-path"));
  rules_.hot_cores = 0.801;
  EXPECT_FALSE(Finds("hot-path"));
  // It could get no more.
  model().facts.cpus = 2;
  model().waits.ready_over_ns = model().waits.ran_ns = 10e9;
  model().waits.ready_ns = 50e9;
  EXPECT_TRUE(Finds("hot-path"));
}

// Others have the processors: what it wants of them counts.
TEST_F(OverviewRulesTest, APathIsHotIfItsThreadsWantManyMoreProcessorsThanTheyGet) {
  Burn({"Shop.Program.Main", "Shop.Text.Match", "System.Text.RegularExpressions.Regex.IsMatch"},
       200);
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ran_ns = 2e9;
  model().waits.ready_ns = 37e9;  // 3.9 of 2
  EXPECT_EQ(Find("hot-path").severity, Severity::kNote);
  rules_.regex_cores = 0.201;
  EXPECT_FALSE(Find("hot-path").is_doubt);
  rules_.regex_cores = 0.199;
  EXPECT_TRUE(Find("hot-path").is_doubt);
  model().waits.ready_ns = 39e9;
  const Finding found = Find("hot-path");
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_NE(found.evidence.find("A pattern that backtracks"), std::string::npos) << found.evidence;
  // The compiler takes more than half of what there is.
  Burn({"Shop.Program.Main", "libclrjit.so!"}, 200);
  NameRuntimeWork(model());
  EXPECT_EQ(Find("hot-path").severity, Severity::kWarning);
  Burn({"Shop.Program.Main", "libclrjit.so!"}, 1);
  NameRuntimeWork(model());
  EXPECT_EQ(Find("hot-path").severity, Severity::kNote);
}

// A server on whose pool three workers loop in a handler, two of them from the start: others serve
// 30 requests a second meanwhile.
class EndlessRulesTest : public OverviewRulesTest {
 protected:
  EndlessRulesTest() {
    model().facts.last_ns = 20 * kSecondNs;
    const std::string start = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart";
    const CallId loop = scene_.Call({start, "Shop.Api.Map"});
    for (int worker = 0; worker < 3; ++worker) {
      workers_.push_back(scene_.Thread(".NET TP Worker"));
      const int64_t from_ns = worker == 2 ? 8 * kSecondNs : 0;
      const auto samples = static_cast<uint32_t>((20 * kSecondNs - from_ns) / 10'000'000);
      scene_.Cpu(loop, samples, workers_.back(), from_ns);
    }
    other_ = scene_.Thread(".NET TP Worker");
    scene_.Cpu(loop, 20, other_, 0);
    scene_.Cpu(scene_.Call({start, "Shop.Api.List"}), 20, other_, 19 * kSecondNs);
    for (const int64_t second : {0, 12, 19}) Look(second);
    Requests& requests = model().requests;
    requests.started = 603;
    requests.finished = 600;
    requests.samples.push_back({.at_ns = 20 * kSecondNs, .started = 603, .finished = 600});
  }

  // All of them were busy until then.
  void Look(int64_t second) {
    ThreadSnapshot snapshot;
    snapshot.at_ns = second * kSecondNs;
    for (const ThreadIndex worker : workers_) {
      ThreadInSnapshot thread;
      thread.thread = worker;
      thread.cpu_ns = 1 + static_cast<uint64_t>(second * kSecondNs / 2);
      thread.ready_ns = thread.cpu_ns;
      snapshot.threads.push_back(thread);
    }
    model().waits.snapshots.push_back(std::move(snapshot));
  }

  std::vector<ThreadIndex> workers_;
  ThreadIndex other_ = 0;
};

TEST_F(EndlessRulesTest, WorkersThatDoNotComeBackAreReported) {
  const Finding found = Find("endless-work");
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_EQ(found.subject, "Shop.Api.Map");
  EXPECT_TRUE(found.title.starts_with("3 pool workers do not come back from Shop.Api.Map, "))
      << found.title;
  EXPECT_TRUE(
      found.evidence.starts_with("The first of them has been in it for 19.99 s, in all of "
                                 "its 2,000 samples; 3 requests had not ended"))
      << found.evidence;
  EXPECT_FALSE(Finds("hot-path"));
}

TEST_F(EndlessRulesTest, EachThresholdAtItsEdge) {
  const auto workers = [this] { return Find("endless-work").title.substr(0, 1); };
  rules_.endless_ns = 11'990'000'000;  // of the third
  EXPECT_EQ(workers(), "3");
  ++rules_.endless_ns;
  EXPECT_EQ(workers(), "2");
  rules_.endless_samples = 2001;
  EXPECT_FALSE(Finds("endless-work"));
  rules_.endless_samples = 2000;
  rules_.endless_seen_ns = 19 * kSecondNs;
  EXPECT_EQ(workers(), "2");
  ++rules_.endless_seen_ns;
  EXPECT_FALSE(Finds("endless-work"));
  rules_.endless_seen_ns = 1;
  rules_.endless_others = 300;
  EXPECT_TRUE(Finds("endless-work"));
  ++rules_.endless_others;
  EXPECT_FALSE(Finds("endless-work"));
  rules_.endless_others = 1;
  rules_.endless_to_end_ns = 10'000'000;
  EXPECT_TRUE(Finds("endless-work"));
  --rules_.endless_to_end_ns;
  EXPECT_FALSE(Finds("endless-work"));
}

TEST_F(EndlessRulesTest, AWorkerThatIdlesInBetweenComesBack) {
  for (ThreadSnapshot& snapshot : model().waits.snapshots) {
    for (ThreadInSnapshot& thread : snapshot.threads) thread.ready_ns = 0;
  }
  EXPECT_FALSE(Finds("endless-work"));
  EXPECT_TRUE(Finds("hot-path"));
}

TEST_F(EndlessRulesTest, WorkOfAProgramWithoutRequestsInProgressIsNotEndless) {
  model().requests.finished = 603;
  EXPECT_FALSE(Finds("endless-work"));
  EXPECT_TRUE(Finds("hot-path"));
}

// Two hot paths side by side: neither is below the other.
TEST_F(OverviewRulesTest, WhatIsNotBelowAHotMethodIsNotTheDeeperOne) {
  Burn({"Shop.Program.Main", "Shop.Order.Parse"}, 500);
  Burn({"Shop.Program.Main", "Shop.Mail.Send"}, 400);
  EXPECT_EQ(Find("hot-path").subject, "Shop.Order.Parse");
}

TEST_F(OverviewRulesTest, AMethodThatOnlyCallsOthersIsReportedWithThem) {
  model().facts.cpus = 1;
  Burn({"Shop.Program.Main", "Shop.Work.Run", "Shop.Work.Step", "Shop.Order.Parse"}, 500);
  Burn({"Shop.Program.Main", "Shop.Work.Run", "Shop.Mail.Send"}, 400);
  Burn({"Shop.Program.Main", "Shop.Work.Run"}, 100);
  const Finding found = Find("hot-path");
  EXPECT_EQ(found.subject, "Shop.Work.Run");
  EXPECT_TRUE(
      found.title.ends_with("of the CPU time, mostly through Shop.Order.Parse and Shop.Mail.Send"))
      << found.title;
  // Calls of several others need not be what is wrong.
  EXPECT_EQ(found.severity, Severity::kWarning);
  rules_.hot_share_through = 1.001;
  EXPECT_EQ(Find("hot-path").severity, Severity::kNote);
  rules_ = {};
  const CpuProfileReport& report = reports_.events->cpu;
  const auto through = [&] { return FindHotMethod(report, rules_)->through.size(); };
  const auto spread = [&] { return FindHotMethod(report, rules_)->spread_over; };
  rules_.hot_own = 0.0999;
  EXPECT_EQ(through(), 0u);
  EXPECT_EQ(spread(), 0u);
  rules_.hot_own = 0.1001;
  EXPECT_EQ(through(), 2u);
  rules_.hot_through = 0.901;  // then it is too little to be most
  EXPECT_EQ(through(), 0u);
  EXPECT_EQ(spread(), 0u);
  rules_.hot_through = 0.899;
  EXPECT_EQ(through(), 2u);
  rules_.hot_through_each = 0.401;
  EXPECT_EQ(through(), 0u);
  EXPECT_EQ(spread(), 2u);
  rules_.hot_through_each = 0.399;
  EXPECT_EQ(through(), 2u);
  rules_.hot_through_reported = 1;
  EXPECT_EQ(through(), 0u);
}

TEST_F(OverviewRulesTest, TimeThatIsSpreadOverManyMethodsIsSaidToBe) {
  for (const char* callee : {"Shop.Part.A", "Shop.Part.B", "Shop.Part.C", "Shop.Part.D",
                             "Shop.Part.E", "Shop.Part.F", "Shop.Part.G", "Shop.Part.H"}) {
    Burn({"Shop.Program.Main", "Shop.Work.Run", callee}, 50);
  }
  EXPECT_TRUE(Find("hot-path").title.ends_with("spread over 8 methods that it calls"))
      << Find("hot-path").title;
}

// A method that does little itself is reported only if threads begin elsewhere most of its time.
TEST_F(OverviewRulesTest, AMethodBeginsThreadsFromAShareOfItsTimeOn) {
  for (const char* callee : {"Shop.Part.A", "Shop.Part.B", "Shop.Part.C", "Shop.Part.D"}) {
    Burn({"Shop.Work.Run", callee}, 50);
    Burn({"Shop.Program.Main", "Shop.Work.Run", callee}, 50);
  }
  EXPECT_FALSE(Finds("hot-path"));
  rules_.begins_share = 0.499;
  EXPECT_FALSE(Finds("hot-path"));
  rules_.begins_share = 0.501;
  EXPECT_EQ(Find("hot-path").subject, "Shop.Work.Run");
}

TEST_F(OverviewRulesTest, AMethodThatBeginsThreadsIsReportedFromAShareOfItsOwnOn) {
  Burn({"Shop.Program.Main"}, 40);
  for (const char* method : {"Shop.Part.A", "Shop.Part.B", "Shop.Part.C"}) {
    Burn({"Shop.Program.Main", method}, 20);
  }
  rules_.hot_self = 0.399;
  EXPECT_EQ(Find("hot-path").subject, "Shop.Program.Main");
  rules_.hot_self = 0.401;
  EXPECT_FALSE(Finds("hot-path"));
}

TEST_F(OverviewRulesTest, TheCompilersTimeIsReportedFromAShareOn) {
  Burn({"Shop.Program.Main", "Shop.Order.Parse"}, 150);
  Burn({"Shop.Program.Main", "libclrjit.so!"}, 50);
  NameRuntimeWork(model());
  const auto is_reported = [this] {
    return Find("hot-path").evidence.find("The JIT compiler took") != std::string::npos;
  };
  rules_.much_compiling = 0.249;
  EXPECT_TRUE(is_reported());
  rules_.much_compiling = 0.251;
  EXPECT_FALSE(is_reported());
}

// A recording of 100 s that begins with the process: the second half of what is left after a minute
// begins at 80 s. There half of 0.4 cores is the compiler's, three fifths of it below one method.
class CompilingRulesTest : public OverviewRulesTest {
 protected:
  CompilingRulesTest() {
    rules_.young_briefly_ns = INT64_MAX;
    model().facts.last_ns = 100 * kSecondNs;
    Burn({"Shop.Program.Main", "Shop.Order.Parse"}, 700);
    BurnAt(80, {"Shop.Program.Main", "Shop.Letter.Render", "System.Linq.Compile", "libclrjit.so!"},
           240);
    BurnAt(84, {"Shop.Program.Main", "Shop.Mail.Send", "libclrjit.so!"}, 160);
    BurnAt(88, {"Shop.Program.Main", "Shop.Order.Parse"}, 400);
    for (const int64_t at : {0, 80, 100}) {
      JitState state;
      state.at_ns = at * kSecondNs;
      state.methods = static_cast<uint64_t>(at) * 50;
      model().samples.jit.push_back(state);
    }
    NameRuntimeWork(model());
  }

  void BurnAt(int64_t second, const std::vector<std::string>& path, uint32_t samples) {
    scene_.Cpu(scene_.Call(path), samples, 1, second * kSecondNs);
  }
};

TEST_F(CompilingRulesTest, ACompilerThatStaysBusyIsReportedWithYourMethod) {
  const Finding found = Find("compiling");
  EXPECT_EQ(found.subject, "Shop.Letter.Render");
  EXPECT_TRUE(found.title.starts_with("Shop.Letter.Render keeps the JIT compiler busy: 50 "))
      << found.title;
  EXPECT_TRUE(found.evidence.starts_with(
      "In the last 20.00 s, long after the start, 240 samples of 400 in the compiler are below it, "
      "mostly in calls of System.Linq.Compile, and 50 methods a second are compiled. "))
      << found.evidence;
  EXPECT_EQ(found.command, "cpu --focus Shop.Letter.Render");
  // That is not normal, as it would be shortly after the start.
  const std::string evidence = Find("hot-path").evidence;
  EXPECT_TRUE(evidence.ends_with(" %.")) << evidence;
}

TEST_F(CompilingRulesTest, EachThresholdAtItsEdge) {
  rules_.too_much_compiling = 0.499;
  EXPECT_EQ(Find("compiling").severity, Severity::kWarning);
  rules_.too_much_compiling = 0.501;
  EXPECT_EQ(Find("compiling").severity, Severity::kNote);
  rules_.compiling_below = 0.599;
  EXPECT_TRUE(Finds("compiling"));
  rules_.compiling_below = 0.601;
  EXPECT_FALSE(Finds("compiling"));
  rules_.compiling_below = 0.5;
  rules_.late_ns = 20 * kSecondNs;
  EXPECT_TRUE(Finds("compiling"));
  ++rules_.late_ns;
  EXPECT_FALSE(Finds("compiling"));
  rules_.warm_ns -= 2;  // nanoseconds: the second half is one longer
  EXPECT_TRUE(Finds("compiling"));
  rules_.much_compiling = 0.266;  // 400 of 1,500 in all
  EXPECT_TRUE(Finds("compiling"));
  rules_.much_compiling = 0.267;
  EXPECT_FALSE(Finds("compiling"));
}

TEST_F(CompilingRulesTest, TheAgeOfTheProcessDecidesWhenItsStartIsOver) {
  rules_.late_ns = 50 * kSecondNs;
  EXPECT_FALSE(Finds("compiling"));
  model().facts.process_started_unix_ns = 1'000 * uint64_t{kSecondNs};
  model().facts.started_unix_ns = 1'060 * uint64_t{kSecondNs};
  EXPECT_TRUE(Finds("compiling"));
  model().facts.started_unix_ns -= 2;
  EXPECT_FALSE(Finds("compiling"));
}

// A process that is too young for the second half to be long after its start.
TEST_F(CompilingRulesTest, AYoungProcessIsReportedIfItCompilesMostOfTheTimeAndNoLessInTheEnd) {
  rules_.young_briefly_ns = OverviewRules().young_briefly_ns;
  model().samples.cpu.samples.clear();
  model().facts.last_ns = 30 * kSecondNs;  // what is left after 10 s: from 20 s on
  for (const int64_t second : {20, 24, 28}) {
    BurnAt(second, {"Shop.Program.Main", "Shop.Letter.Render", "libclrjit.so!"}, 100);
    BurnAt(second + 1, {"Shop.Program.Main", "Shop.Order.Parse"}, 50);
  }
  NameRuntimeWork(model());
  const Finding found = Find("compiling");
  EXPECT_EQ(found.subject, "Shop.Letter.Render");
  EXPECT_TRUE(
      found.evidence.starts_with("In the last 10.00 s, and no less in the end, 300 samples "))
      << found.evidence;
  rules_.mostly_compiling = 0.667;
  EXPECT_FALSE(Finds("compiling"));
  rules_.mostly_compiling = 0.666;
  rules_.young_late_ns = 10 * kSecondNs;
  EXPECT_FALSE(Find("compiling").is_doubt);
  ++rules_.young_late_ns;
  EXPECT_TRUE(Find("compiling").is_doubt);
  EXPECT_EQ(Find("compiling").severity, Severity::kNote);
  rules_.young_briefly_ns = 10 * kSecondNs;
  EXPECT_TRUE(Finds("compiling"));
  ++rules_.young_briefly_ns;
  EXPECT_FALSE(Finds("compiling"));
  --rules_.young_briefly_ns;
  rules_.still_compiling = 1.001;
  EXPECT_FALSE(Finds("compiling"));
}

// Code that is compiled for each call, as much of it in each second: a start needs less and less.
TEST_F(CompilingRulesTest, AYoungProcessThatCompilesEvenlyIsADoubt) {
  rules_.young_briefly_ns = OverviewRules().young_briefly_ns;
  model().samples.cpu.samples.clear();
  model().facts.last_ns = 30 * kSecondNs;
  BurnAt(20, {"Shop.Program.Main", "Shop.Letter.Render", "libclrjit.so!"}, 20);
  BurnAt(21, {"Shop.Program.Main", "Shop.Order.Parse"}, 80);
  NameRuntimeWork(model());
  rules_.hot_cores = 0.01;
  const auto compile = [&](uint64_t first, uint64_t second, uint64_t third) {
    model().samples.jit.clear();
    uint64_t methods = 1000;
    for (const uint64_t more : {uint64_t{0}, first, second, third}) {
      JitState state;
      state.at_ns = static_cast<int64_t>(model().samples.jit.size()) * 3 * kSecondNs;
      state.methods = methods += more;
      model().samples.jit.push_back(state);
    }
    return Finds("compiling");
  };
  const auto enough = static_cast<uint64_t>(rules_.even_compiling_methods * 3);
  ASSERT_TRUE(compile(enough, enough, enough));
  EXPECT_TRUE(Find("compiling").is_doubt);
  EXPECT_EQ(Find("compiling").severity, Severity::kNote);
  EXPECT_FALSE(compile(enough, enough - 1, enough));
  const auto most = static_cast<uint64_t>(static_cast<double>(enough) / rules_.even_compiling);
  EXPECT_TRUE(compile(most, most, enough));
  EXPECT_FALSE(compile(most + 2, most, enough));
  ++rules_.even_compiling_ns;
  EXPECT_FALSE(compile(enough, enough, enough));
}

// As in every process that starts: most of the compiler's work is done early.
TEST_F(OverviewRulesTest, ACompilerThatHasFinishedIsNotReported) {
  model().facts.last_ns = 100 * kSecondNs;
  Burn({"Shop.Program.Main", "Shop.Letter.Render", "libclrjit.so!"}, 1000);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Letter.Render", "libclrjit.so!"}), 29, 1,
             80 * kSecondNs);
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Order.Parse"}), 271, 1, 81 * kSecondNs);
  NameRuntimeWork(model());
  EXPECT_FALSE(Finds("compiling"));
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Letter.Render", "libclrjit.so!"}), 2, 1,
             99 * kSecondNs);
  NameRuntimeWork(model());
  EXPECT_TRUE(Finds("compiling"));
}

}  // namespace
}  // namespace hindsight::analyzer
