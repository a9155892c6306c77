// Heap snapshots, from text to reports: every heap_cases/NAME.textproto is made into a file, each
// report below is made of it, and compared with heap_cases/NAME.<report>.
//
// Texts are made twice, for 80 and for 200 columns; JSON is what the command prints. With
// HINDSIGHT_REGENERATE=1 in the environment the expected reports are written instead, and the test
// fails so that nobody mistakes it for a pass. Read the difference before you commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/analyses/allocations/retained_allocations.h"
#include "analyzer/analyses/heap/targets.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/allocations/retained_report.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/heap_tree_report.h"
#include "analyzer/report/heap/histogram_report.h"
#include "analyzer/report/heap/leaks_report.h"
#include "analyzer/report/heap/object_reports.h"
#include "tests/golden/golden_file.h"
#include "tests/support/heap_builder.h"
#include "tests/support/heap_file.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;
using testing::ExpectFile;
using testing::ReadFile;
using testing::RunProgram;
using testing::RunResult;
using testing::TempDir;
using testing::WriteFile;

constexpr size_t kRows = 20;

// A snapshot with all that the reports need.
struct Snapshot {
  explicit Snapshot(std::unique_ptr<HeapModel> of)
      : model(std::move(of)),
        dominators(ComputeDominators(model->graph)),
        tree(dominators),
        names(*model),
        paths(model->graph) {}

  std::unique_ptr<HeapModel> model;
  Dominators dominators;
  DominatorTree tree;
  SlotNames names;
  RootPaths paths;
};

RetainedAllocations Retained(const Snapshot& s, const AllocationQuery& query) {
  return AnalyzeRetainedAllocations(*s.model, s.paths, query);
}

struct Report {
  std::string name;
  std::vector<std::string> command;  // that prints it, without the recording
  std::function<std::string(const Snapshot&, const TextStyle&)> text;
};

// One object of every case: that of the static field Shop.Cache._items, or the first of all.
ObjectId Interesting(const Snapshot& snapshot) {
  const HeapGraph& graph = snapshot.model->graph;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (graph.classes()[graph.ClassOf(id)].value_fields.size() == 2) return id;
  }
  return 0;
}

std::string Histogram(const Snapshot& s, const TextStyle& style) {
  const TypeHistogram histogram = MakeTypeHistogram(*s.model, s.dominators, s.tree);
  HistogramView view;
  view.model = s.model.get();
  view.dominators = &s.dominators;
  view.histogram = &histogram;
  view.snapshots = {&s.model->graph.facts, 1};
  return HistogramText(view, style);
}

const std::vector<Report>& Reports() {
  static const std::vector<Report> kReports = {
      {"heap", {"heap"}, Histogram},
      {"retained",
       {"retained"},
       [](const Snapshot& s, const TextStyle& style) {
         return RetainedText(*s.model, FindLargest(*s.model, s.dominators, s.names, s.paths, kRows),
                             style);
       }},
      {"dominators",
       {"dominators"},
       [](const Snapshot& s, const TextStyle& style) {
         return DominatorsText(
             *s.model, FoldDominators(*s.model, s.names, s.paths, s.dominators, s.tree), style);
       }},
      {"paths",
       {"paths", "Shop.*"},
       [](const Snapshot& s, const TextStyle& style) {
         return PathsText(*s.model,
                          MergePaths(*s.model, s.names, s.paths, *FindTargets(*s.model, "Shop.*")),
                          "Shop.*", style);
       }},
      {"object",
       {},
       [](const Snapshot& s, const TextStyle& style) {
         return ObjectText(*s.model, s.dominators,
                           DescribeObject(*s.model, s.dominators, s.names, s.paths, Interesting(s)),
                           style);
       }},
      {"leaks",
       {"leaks"},
       [](const Snapshot& s, const TextStyle& style) {
         return LeaksText(*s.model, s.names,
                          AnalyzeLeaks(*s.model, s.names, s.paths, s.dominators, s.tree), style);
       }},
      {"allocated",
       {"allocations", "--retained", "--min-share", "0"},
       [](const Snapshot& s, const TextStyle& style) {
         return RetainedAllocationsText(*s.model, Retained(s, {}), {},
                                        {.top = 10, .min_share = 0, .style = style});
       }},
      {"allocated.bottom-up",
       {"allocations", "--retained", "--min-share", "0", "--bottom-up"},
       [](const Snapshot& s, const TextStyle& style) {
         AllocationQuery query;
         query.bottom_up = true;
         return RetainedAllocationsText(*s.model, Retained(s, query), query,
                                        {.top = 10, .min_share = 0, .style = style});
       }},
      {"collections",
       {"collections"},
       [](const Snapshot& s, const TextStyle& style) {
         return CollectionsText(*s.model, AnalyzeCollections(*s.model, s.names, s.paths), kRows,
                                style);
       }},
      {"strings",
       {"strings"},
       [](const Snapshot& s, const TextStyle& style) {
         return StringsText(*s.model, AnalyzeStrings(*s.model, s.names, s.paths, kRows), style);
       }},
      {"generations",
       {"generations"},
       [](const Snapshot& s, const TextStyle& style) {
         return GenerationsText(*s.model, AnalyzeGenerations(*s.model, s.dominators), kRows, style);
       }},
  };
  return kReports;
}

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(HINDSIGHT_GOLDEN_HEAP_CASES)) {
    if (entry.path().extension() == ".textproto") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class HeapGolden : public ::testing::TestWithParam<std::string> {
 protected:
  HeapGolden() : base_(fs::path(HINDSIGHT_GOLDEN_HEAP_CASES) / GetParam()) {
    WriteFile(file_, testing::HeapFileOf(ReadFile(base_.string() + ".textproto")).bytes());
  }

  void Expect(const std::string& suffix, const std::string& actual) {
    ExpectFile(base_.string() + "." + suffix, actual);
  }

  RunResult Run(std::vector<std::string> command) {
    command.insert(command.begin(), HINDSIGHT_BINARY);
    return RunProgram(command);
  }

  fs::path base_;
  TempDir folder_;
  std::string file_ = folder_ / "heap-000001.hsr";
};

TEST_P(HeapGolden, TextsFitTheirWidth) {
  const std::vector<std::string> inputs = {file_};
  Result<std::unique_ptr<HeapModel>> model = ReadHeap(inputs, std::nullopt);
  ASSERT_TRUE(model) << model.error().sentence;
  const Snapshot snapshot(std::move(*model));
  for (const Report& report : Reports()) {
    for (const size_t width : {size_t{80}, size_t{200}}) {
      TextStyle style;
      style.width = width;
      const std::string text = report.text(snapshot, style);
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(TextColumns(line), width) << report.name << ": " << line;
        EXPECT_FALSE(line.ends_with(' ')) << report.name << ": " << line;
      }
      Expect(report.name + (width == 80 ? ".txt" : ".wide.txt"), text);
    }
  }
}

TEST_P(HeapGolden, JsonIsAsExpected) {
  for (const Report& report : Reports()) {
    if (report.command.empty()) continue;
    std::vector<std::string> command = report.command;
    command.insert(command.end(), {file_, "--json"});
    const RunResult result = Run(command);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    Expect(report.name + ".json", result.out);
  }
}

TEST_P(HeapGolden, CommandsPrintTheTexts) {
  for (const Report& report : Reports()) {
    if (report.command.empty()) continue;
    std::vector<std::string> command = report.command;
    command.push_back(file_);
    const RunResult result = Run(command);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string narrow = ReadFile(base_.string() + "." + report.name + ".txt");
    EXPECT_EQ(result.out.substr(0, 8), narrow.substr(0, 8)) << report.name;
  }
}

TEST_P(HeapGolden, ObjectsAreFoundByAddressInEitherOrder) {
  const RunResult first = Run({"object", "0x7f1200001008", file_, "--json"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("\"address\": \"0x7f1200001000\""), std::string::npos) << first.out;
  const RunResult second = Run({"object", file_, "0x7f1200001008", "--json"});
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(Run({"object", "0x10", file_}).exit_code, 2);
  EXPECT_EQ(Run({"object", "Shop.Item", file_}).exit_code, 64);
  EXPECT_EQ(Run({"paths", "Shop.Nothing", file_}).exit_code, 2);
  EXPECT_EQ(Run({"heap", file_, "--snapshot", "7"}).exit_code, 64);
}

TEST(HeapReports, ObjectsWithoutATypesNameAreSaid) {
  const auto text_of = [](const char* type) {
    testing::HeapBuilder heap;
    heap.Root(heap.Add(heap.Class(type)));
    TextStyle style;
    style.width = 200;
    return Histogram(Snapshot(heap.Build()), style);
  };
  EXPECT_NE(text_of("").find("1 object is of types that may be unloaded, and without a name (?)."),
            std::string::npos);
  EXPECT_EQ(text_of("Shop.Order").find("without a name"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Cases, HeapGolden, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hindsight::analyzer
