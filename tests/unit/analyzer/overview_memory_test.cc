// Findings about memory outside of the managed heap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/heap_builder.h"
#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

class OverviewOfMemory : public OverviewOfEvents {
 protected:
  // Two minutes of a process that is older, with a collection every second.
  OverviewOfMemory() {
    RecordingFacts& facts = model().facts;
    facts.started_unix_ns = 1'000'000 * static_cast<uint64_t>(kSecond);
    facts.process_started_unix_ns = facts.started_unix_ns - 600 * static_cast<uint64_t>(kSecond);
    facts.last_ns = kSeconds * kSecond;
    facts.allocations_on = true;
    committed_ = [](int) { return 10 * kMiB; };
  }

  static constexpr int kSeconds = 120;

  std::vector<Finding> With(const std::function<uint64_t(int)>& bytes,
                            std::string_view kind = "native-memory") {
    model().memory.clear();
    model().collections.rows.clear();
    for (int i = 0; i <= kSeconds; ++i) {
      const int64_t at_ns = i * kSecond;
      model().memory.push_back(
          {.at_ns = at_ns, .resident_bytes = bytes(i) + 50 * kMiB, .anonymous_bytes = bytes(i)});
      if (!committed_) continue;
      CollectionRow row;
      row.at_ns = at_ns;
      row.type = CollectionType::kBlocking;
      row.detailed = true;
      row.committed_bytes = committed_(i);
      model().collections.rows.push_back(row);
    }
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [kind](const Finding& other) { return other.kind != kind; });
    return found;
  }
  // What the collector knows of grows as well, by `bytes` a minute, to `last` at the end.
  std::vector<Finding> Climbing(uint64_t bytes, uint64_t last) {
    model().facts.end = EndReason::kDurationOver;
    const auto at = [=](int i) { return last - bytes * static_cast<uint64_t>(kSeconds - i) / 60; };
    committed_ = at;
    return With(at, "climbing-memory");
  }
  // Grows by `bytes` from the middle of the first third after the first quarter to that of the
  // last: in a minute.
  std::vector<Finding> Growing(uint64_t bytes) {
    return With([bytes](int i) { return 100 * kMiB + bytes * static_cast<uint64_t>(i) / 60; });
  }

  std::function<uint64_t(int)> committed_;
};

TEST_F(OverviewOfMemory, ThatGrowsWithoutTheHeapIsAWarning) {
  const OverviewRules rules;
  const std::vector<Finding> found = Growing(rules.native_growth_bytes);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].signal, Signal::kHeap);
  EXPECT_EQ(found[0].title, "Memory outside of the managed heap grows by 1.1 MiB/s");
  EXPECT_NE(found[0].evidence.find("the collector held 10.0 MiB of it"), std::string::npos)
      << found[0].evidence;
  EXPECT_TRUE(Growing(rules.native_growth_bytes - kMiB).at(0).is_doubt);
  const auto of_small = [&](uint64_t bytes) {
    return With([bytes](int i) { return 50 * kMiB + bytes * static_cast<uint64_t>(i) / 60; });
  };
  EXPECT_EQ(of_small(rules.native_even_growth_bytes).size(), 1u);
  EXPECT_TRUE(of_small(rules.native_even_growth_bytes - kMiB).empty());
  // Much of a large process.
  const auto large = [&](uint64_t before) {
    return With(
        [&](int i) { return before + rules.native_growth_bytes * static_cast<uint64_t>(i) / 60; });
  };
  EXPECT_EQ(large(128 * kMiB).size(), 1u);
  EXPECT_TRUE(large(256 * kMiB).empty());
}

TEST_F(OverviewOfMemory, ThatTheHeapTakesOrThatIsTakenOnceIsNone) {
  const uint64_t much = 500 * kMiB;
  committed_ = [much](int i) { return 10 * kMiB + much * static_cast<uint64_t>(i) / 60; };
  EXPECT_TRUE(Growing(much).empty());
  committed_ = [](int) { return 10 * kMiB; };
  EXPECT_EQ(Growing(much).size(), 1u);
  EXPECT_TRUE(With([much](int i) { return 100 * kMiB + (i > 80 ? much : 0); }).empty());
  EXPECT_TRUE(With([much](int i) { return 100 * kMiB + (i < 60 ? much : 0); }).empty());
  // Given back in the end.
  EXPECT_TRUE(With([much](int i) {
                const uint64_t taken = much * static_cast<uint64_t>(i) / 60;
                return 100 * kMiB + (i < kSeconds - 3 ? taken : 0);
              }).empty());
}

// Without a collection, all that was allocated may have stayed.
TEST_F(OverviewOfMemory, WithoutCollectionsAllocationsMayExplainIt) {
  committed_ = nullptr;
  EXPECT_EQ(Growing(200 * kMiB).size(), 1u);
  AllocationSample sample;
  sample.at_ns = kSeconds / 2 * kSecond;
  sample.bytes = 150.0 * kMiB;
  model().samples.allocations.samples.push_back(sample);
  EXPECT_TRUE(Growing(200 * kMiB).empty());
  EXPECT_EQ(Growing(400 * kMiB).size(), 1u);
  model().facts.allocations_on = false;
  EXPECT_TRUE(Growing(400 * kMiB).empty());  // unknown
}

TEST_F(OverviewOfMemory, AProcessThatStartsNeedsMore) {
  const OverviewRules rules;
  model().facts.process_started_unix_ns = model().facts.started_unix_ns;
  EXPECT_TRUE(Growing(rules.native_growth_at_start_bytes - kMiB).at(0).is_doubt);
  EXPECT_FALSE(Growing(rules.native_growth_at_start_bytes).at(0).is_doubt);
}

TEST_F(OverviewOfMemory, ThatIsUsedUpSoonIsAWarning) {
  const OverviewRules rules;
  const uint64_t bytes = 60 * kMiB, last = 200 * kMiB;  // a MiB a second
  const uint64_t left = rules.used_up_ns / static_cast<uint64_t>(kSecond) * kMiB;
  model().facts.memory_limit = last + left - kMiB;
  const std::vector<Finding> found = Climbing(bytes, last);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title,
            "Memory climbs by 1.0 MiB/s: at this pace, the machine's 799.0 MiB are used up in 9 m "
            "59 s");
  model().facts.memory_limit = last + left + kMiB;
  EXPECT_TRUE(Climbing(bytes, last).at(0).is_doubt);
  // A process that starts may load what it needs.
  model().facts.process_started_unix_ns = model().facts.started_unix_ns;
  model().facts.memory_limit = last + left - kMiB;
  EXPECT_TRUE(Climbing(bytes, last).empty());
  model().facts.memory_limit =
      last + (rules.used_up_at_start_ns / static_cast<uint64_t>(kSecond) - 1) * kMiB;
  EXPECT_FALSE(Climbing(bytes, last).at(0).is_doubt);
}

TEST_F(OverviewOfMemory, ThatClimbsAtOnePaceIsADoubt) {
  const OverviewRules rules;
  const uint64_t last = 160 * kMiB;
  const std::vector<Finding> found = Climbing(rules.climbing_bytes, last);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_EQ(found[0].title, "Memory climbs by 819.2 KiB/s, at the same pace all the time");
  EXPECT_TRUE(Climbing(rules.climbing_bytes - kMiB, last).empty());
  EXPECT_TRUE(Climbing(rules.climbing_bytes, last + kMiB).empty());  // less than the share
  // Just started, or attached to.
  model().facts.process_started_unix_ns = model().facts.started_unix_ns - rules.attached_after_ns;
  EXPECT_EQ(Climbing(rules.climbing_bytes, last).size(), 1u);
  ++model().facts.process_started_unix_ns;
  EXPECT_TRUE(Climbing(rules.climbing_bytes, last).empty());
}

// 12 s, in which the collector runs twice.
TEST_F(OverviewOfMemory, ThatWouldDoubleInAMinuteIsADoubt) {
  constexpr uint64_t kNow = 900 * kMiB;
  const auto climb = [this](uint64_t per_second, uint64_t heap_growth) {
    model().facts.end = EndReason::kDurationOver;
    model().facts.last_ns = 12 * kSecond;
    model().memory.clear();
    for (int64_t i = 0; i <= 12; ++i) {
      const uint64_t bytes = kNow - static_cast<uint64_t>(12 - i) * per_second;
      model().memory.push_back({.at_ns = i * kSecond, .anonymous_bytes = bytes});
    }
    model().collections.rows.clear();
    for (const uint64_t grown : {uint64_t{0}, heap_growth}) {
      CollectionRow row;
      row.at_ns = grown == 0 ? kSecond : 8 * kSecond;
      row.type = CollectionType::kBlocking;
      row.detailed = true;
      row.generations[2].after_bytes = 500 * kMiB + grown;
      model().collections.rows.push_back(row);
    }
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "climbing-memory"; });
    return found;
  };
  const std::vector<Finding> found = climb(16 * kMiB, 100 * kMiB);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_EQ(Find().growth_unseen_in_ns, 0u);  // it shows
  EXPECT_TRUE(climb(14 * kMiB, 100 * kMiB).empty());  // it takes longer
  EXPECT_TRUE(climb(16 * kMiB, 10 * kMiB).empty());   // garbage, as far as is known
  EXPECT_NE(Find().growth_unseen_in_ns, 0u);
}

TEST_F(OverviewOfMemory, AssembliesThatStayAreNamed) {
  const OverviewRules rules;
  for (uint64_t i = 0; i < rules.kept_assemblies; ++i) {
    model().assemblies.push_back({.at_ns = 100 * kSecond, .is_load = true});
  }
  EXPECT_NE(Growing(200 * kMiB).at(0).evidence.find("20 assemblies were loaded and none unloaded"),
            std::string::npos);
  model().assemblies.push_back({.at_ns = 100 * kSecond, .is_load = false});
  EXPECT_EQ(Growing(200 * kMiB).at(0).evidence.find("assemblies"), std::string::npos);
}

TEST_F(OverviewOfMemory, AssembliesThatAreGeneratedAgainAndAgainAreReported) {
  const OverviewRules rules;
  const int64_t quarter_ns = kSeconds * kSecond / 4;
  const auto find = [&](uint64_t count, int64_t from_ns, int64_t to_ns, bool generated = true) {
    model().assemblies.clear();
    for (uint64_t i = 0; i < count; ++i) {
      const int64_t at_ns =
          from_ns + (to_ns - from_ns) / static_cast<int64_t>(count) * static_cast<int64_t>(i);
      model().assemblies.push_back({.at_ns = at_ns, .is_load = true, .is_generated = generated});
    }
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "generated-assemblies"; });
    return found;
  };
  const int64_t end_ns = kSeconds * kSecond;
  const std::vector<Finding> found = find(rules.generated_assemblies, quarter_ns, end_ns);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);  // no full collection could unload them
  EXPECT_EQ(found[0].title, "0.2 assemblies are generated a second, and none is unloaded");
  EXPECT_TRUE(find(rules.generated_assemblies - 1, quarter_ns, end_ns).empty());
  EXPECT_TRUE(find(rules.generated_assemblies, quarter_ns, end_ns, false).empty());
  // As a start does.
  EXPECT_TRUE(find(100, quarter_ns, end_ns / 2).empty());
  CollectionRow row;
  row.at_ns = end_ns / 2;
  row.generation = 2;
  model().collections.rows.push_back(row);
  EXPECT_EQ(find(rules.generated_assemblies, quarter_ns, end_ns).at(0).severity,
            Severity::kWarning);
}

class OverviewOfOpenFiles : public OverviewOfMemory {
 protected:
  OverviewOfOpenFiles() { model().facts.open_files_limit = 10'000; }

  std::vector<Finding> Files(const std::function<uint32_t(int)>& files) {
    model().memory.clear();
    for (int i = 0; i <= kSeconds; ++i) {
      model().memory.push_back({.at_ns = i * kSecond,
                                .resident_bytes = kMiB,
                                .anonymous_bytes = kMiB,
                                .open_files = files(i)});
    }
    std::vector<Finding> found = Find().findings;
    std::erase_if(found,
                  [](const Finding& other) { return !other.kind.starts_with("open-files"); });
    return found;
  }
  // Grows by so many in a minute, as does memory above.
  std::vector<Finding> Growing(uint64_t files) {
    return Files([files](int i) {
      return static_cast<uint32_t>(50 + files * static_cast<uint64_t>(i) / 60);
    });
  }
  // So many requests end in each second from the middle on; before, so many.
  void Serve(uint64_t before, uint64_t after, uint64_t in_progress = 0) {
    for (int i = 0; i <= kSeconds; ++i) {
      const bool is_late = i > kSeconds / 2;
      model().requests.samples.push_back(
          {.at_ns = i * kSecond,
           .finished = is_late ? after : before,
           .total_ns = is_late ? in_progress * static_cast<uint64_t>(kSecond) : 0});
    }
  }
};

TEST_F(OverviewOfOpenFiles, ThatGrowAreAWarning) {
  const OverviewRules rules;
  const std::vector<Finding> found = Growing(rules.open_files_growth);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_FALSE(found[0].is_doubt);
  EXPECT_EQ(found[0].title, "Open files, sockets or pipes grow by 100 a minute");
  EXPECT_NE(found[0].evidence.find("the limit of 10,000 is reached 1 h 3"), std::string::npos)
      << found[0].evidence;
  EXPECT_EQ(Growing(rules.open_files_even_growth).size(), 1u);
  EXPECT_TRUE(Growing(rules.open_files_even_growth - 1).empty());
  EXPECT_TRUE(Growing(0).empty());
  // Few, of many that are open.
  EXPECT_TRUE(Files([&](int i) {
                return static_cast<uint32_t>(2000 + rules.open_files_growth * i / 60);
              }).empty());
  // Opened once.
  EXPECT_TRUE(Files([](int i) { return i < 60 ? 50u : 5000u; }).empty());
}

// Which handles there are in the snapshot, and which field holds them.
TEST_F(OverviewOfOpenFiles, ThatGrowAreNamedByTheHandlesInTheSnapshot) {
  const OverviewRules rules;
  Growing(rules.open_files_growth);
  testing::HeapBuilder heap;
  const ClassIndex base = heap.Class("System.Runtime.InteropServices.SafeHandle");
  const ClassIndex handle = heap.Class("Shop.Native.Handle");
  heap.Edit(handle).base = base;
  const ObjectId open = heap.Add(heap.Array("Shop.Native.Handle"), 100);
  for (uint64_t i = 0; i < 100; ++i) heap.Refer(open, i, heap.Add(handle));
  heap.Static("Shop.Book", "open_", open);
  heap.Root(heap.Add(heap.Class("System.IO.Other")));
  heap.facts().number = 1;
  const std::unique_ptr<HeapModel> snapshot = heap.Build();
  const RootPaths paths(snapshot->graph);
  const Dominators dominators = ComputeDominators(snapshot->graph);
  const Reports reports =
      MakeReports(std::make_unique<EventReports>(model()),
                  std::make_unique<HeapReports>(*snapshot, paths, dominators, nullptr));
  const std::vector<Finding> findings = FindAll(reports).findings;
  const auto found = std::ranges::find(findings, "open-files", &Finding::kind);
  ASSERT_NE(found, findings.end());
  EXPECT_NE(found->evidence.find(" In the snapshot, 100 Shop.Native.Handle are alive, most of them "
                                 "held by Shop.Book.open_."),
            std::string::npos)
      << found->evidence;
  EXPECT_EQ(found->command, "paths Shop.Native.Handle");
}

// Growth that slows down must be more.
TEST_F(OverviewOfOpenFiles, ThatGrowMoreSlowlyInTheEndNeedMore) {
  const OverviewRules rules;
  const auto slowing = [&](uint64_t files) {
    return Files([files](int i) {
      // Thirds of a recording of two minutes have their middles at 45, 75 and 105 seconds.
      const uint64_t part = i <= 60 ? 0 : i <= 90 ? files * 7 / 10 : files;
      return static_cast<uint32_t>(50 + part);
    });
  };
  EXPECT_EQ(slowing(rules.open_files_growth).size(), 1u);
  EXPECT_TRUE(slowing(rules.open_files_growth - 1).empty());
}

TEST_F(OverviewOfOpenFiles, ThatMayStayBelowTheLimitAreADoubt) {
  const OverviewRules rules;
  EXPECT_FALSE(Growing(rules.open_files_growth).at(0).is_doubt);
  const uint64_t at_end = 50 + rules.open_files_growth * 105 / 60;
  const uint64_t minutes = rules.open_files_left_ns / 60'000'000'000;
  model().facts.open_files_limit = at_end + rules.open_files_growth * minutes - 1;
  EXPECT_FALSE(Growing(rules.open_files_growth).at(0).is_doubt);
  model().facts.open_files_limit = at_end + rules.open_files_growth * (minutes + 1);
  EXPECT_TRUE(Growing(rules.open_files_growth).at(0).is_doubt);
  model().facts.open_files_limit = 0;
  EXPECT_TRUE(Growing(rules.open_files_growth).at(0).is_doubt);
}

TEST_F(OverviewOfOpenFiles, OfAProcessThatStartsMayBeItsConnections) {
  const OverviewRules rules;
  model().facts.process_started_unix_ns = model().facts.started_unix_ns;
  EXPECT_TRUE(Growing(rules.open_files_growth - 1).at(0).is_doubt);
  EXPECT_FALSE(Growing(rules.open_files_growth).at(0).is_doubt);
}

TEST_F(OverviewOfOpenFiles, WithMoreLoadMayBeItsConnections) {
  const OverviewRules rules;
  Serve(100, 100);
  EXPECT_FALSE(Growing(600).at(0).is_doubt);
  model().requests.samples.clear();
  Serve(100, 1 + static_cast<uint64_t>(100 * rules.open_files_load_growth));
  const std::vector<Finding> found = Growing(600);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  // Web sockets are requests that do not end.
  model().requests.samples.clear();
  Serve(0, 0, 300);
  EXPECT_TRUE(Growing(600).empty());
  model().requests.samples.clear();
  Serve(0, 0, 299);
  EXPECT_FALSE(Growing(600).at(0).is_doubt);
}

TEST_F(OverviewOfOpenFiles, NearTheLimitAreCritical) {
  const OverviewRules rules;
  const auto limit = static_cast<uint64_t>(rules.open_files_near_limit * 10'000);
  const std::vector<Finding> found = Files([&](int) { return static_cast<uint32_t>(limit); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kCritical);
  EXPECT_EQ(found[0].title, "The process has 9,000 of at most 10,000 files open");
  EXPECT_TRUE(Files([&](int) { return static_cast<uint32_t>(limit - 1); }).empty());
  model().facts.open_files_limit = 0;
  EXPECT_TRUE(Files([&](int) { return static_cast<uint32_t>(limit); }).empty());
}

// The cause is first.
TEST_F(OverviewOfOpenFiles, NearTheLimitComeBeforeTheCrash) {
  model().facts.exceptions_on = true;
  Exceptions("System.OutOfMemoryException", 1, 0, Ending::kUnhandled);
  for (int i = 0; i <= kSeconds; ++i) {
    model().memory.push_back({.at_ns = i * kSecond, .resident_bytes = kMiB, .open_files = 9'999});
  }
  const std::vector<Finding> found = Find().findings;
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0].kind, "open-files-limit");
  EXPECT_EQ(found[1].kind, "unhandled");
}

class OverviewOfMemoryLimit : public OverviewOfMemory {
 protected:
  static constexpr uint64_t kLimit = 1000 * kMiB;

  OverviewOfMemoryLimit() {
    model().facts.memory_limit = kLimit;
    model().facts.is_memory_of_container = true;
    model().facts.end = EndReason::kStopped;
  }

  // Ends with a share of the limit, after a peak in the middle.
  std::vector<Finding> Near(double end, double peak = 0) {
    With([&](int i) {
      return static_cast<uint64_t>((i == kSeconds / 2 ? std::max(peak, end) : end) * kLimit);
    });
    model().collections.rows.front().memory_load_percent = 95;
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& other) {
      return other.kind != "memory-limit" && other.kind != "memory-load";
    });
    return found;
  }
};

TEST_F(OverviewOfMemoryLimit, IsAWarningOnceMemoryIsCloseToIt) {
  const OverviewRules rules;
  const std::vector<Finding> found = Near(0.2, rules.memory_near_limit);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "memory-limit");
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title,
            "Memory is close to the container's limit: the process has 900.0 MiB of 1000.0 MiB");
  EXPECT_NE(found[0].evidence.find("at 1 m 00 s"), std::string::npos) << found[0].evidence;
  model().facts.is_memory_of_container = false;
  EXPECT_NE(Near(0.95).at(0).title.find("the machine's limit"), std::string::npos);
  // Others may use it as well: then only the collector knows.
  const std::vector<Finding> below = Near(rules.memory_near_limit - 0.001);
  ASSERT_EQ(below.size(), 1u);
  EXPECT_EQ(below[0].kind, "memory-load");
  model().facts.memory_limit = 0;
  EXPECT_EQ(Near(0.95).at(0).kind, "memory-load");
}

TEST_F(OverviewOfMemoryLimit, IsCriticalIfTheRecordingBreaksOffNearIt) {
  const OverviewRules rules;
  EXPECT_EQ(Near(rules.memory_near_limit_at_end).at(0).kind, "memory-load");
  model().facts.end = EndReason::kBrokeOff;
  const std::vector<Finding> found = Near(rules.memory_near_limit_at_end);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kCritical);
  EXPECT_NE(found[0].evidence.find("OOMKilled"), std::string::npos) << found[0].evidence;
  EXPECT_EQ(Near(rules.memory_near_limit_at_end - 0.001).at(0).kind, "memory-load");
  EXPECT_EQ(Near(0.2, 0.95).at(0).severity, Severity::kWarning);
}

// Until a heap snapshot shows what they hold.
TEST_F(OverviewOfMemory, GcHandlesThatAccumulateAreADoubt) {
  int second_full = 100;
  const auto handles = [&](const std::function<uint64_t(int)>& number) {
    With([](int) { return 100 * kMiB; });
    std::vector<CollectionRow>& rows = model().collections.rows;
    for (size_t i = 0; i < rows.size(); ++i) rows[i].handles = number(static_cast<int>(i));
    rows[30].generation = rows.at(static_cast<size_t>(second_full)).generation = 2;
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "handles"; });
    return found;
  };
  const std::vector<Finding> found =
      handles([](int i) { return 1000 + 75 * static_cast<uint64_t>(i); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].title, "GC handles accumulate: 1,000 -> 10,000");
  EXPECT_TRUE(handles([](int i) { return 999 + 75 * static_cast<uint64_t>(i); }).empty());
  const auto growing = [](int i) { return 1000 + 100 * static_cast<uint64_t>(i); };
  for (second_full = 30; handles(growing).empty(); ++second_full) {
  }
  EXPECT_EQ(second_full, 38);  // 4,800 are 1.2 times the 4,000 of the first
  second_full = 100;
  // A full collection frees those of weak tables.
  EXPECT_TRUE(handles([](int i) {
                return i == 100 ? 4000u : 1000 + 100 * static_cast<uint64_t>(i);
              }).empty());
  // Tables that are being filled.
  EXPECT_TRUE(handles([](int i) { return i < 60 ? 1000u : 50'000u; }).empty());
}

}  // namespace
}  // namespace hindsight::analyzer
