// The clicks of docs/explorer.md, in a real recording of the Shop with five problems at once: each
// leads to its truth within a minute.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/recording_builder.h"
#include "tests/support/run.h"
#include "tests/support/serving.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Records until each problem has been visible for long enough, and then takes a snapshot. The
// shop's customers are a separate process, which is not recorded.
void RecordShop(const std::string& folder) {
  const RunResult run = RunProgram(
      {"/bin/sh", "-c",
       "mkfifo \"$2/in\" && exec 9<>\"$2/in\" && {"
       " \"$0\" launch --quiet --profiler \"$1\" --output \"$2\" --sources all"
       " --set heap.every=8s --set 'match=*Shop.dll --seconds*' -- \"$3\" \"$4\" --seconds 120"
       " --problem cache-static,hot-linq,failing-route,lock-sleep,never-completed"
       " <\"$2/in\" >\"$2/out\" 9<&- & } &&"
       " for i in $(seq 120); do grep -q shown \"$2/out\" && break; sleep 1; done;"
       " sleep 9; exec 9<&-; wait",
       HINDSIGHT_TRIGGER, HINDSIGHT_RECORDER, folder, HINDSIGHT_DOTNET, HINDSIGHT_SHOP});
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
}

TEST(Clicks, LeadToTheTruthOfEachProblem) {
  const TempDir folder;
  ASSERT_NO_FATAL_FAILURE(RecordShop(folder.path()));
  size_t recordings = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    recordings += entry.path().extension() == ".hindsight" ? 1 : 0;
  }
  ASSERT_EQ(recordings, 1u);
  ServeProcess server({HINDSIGHT_BINARY, "serve", folder.path().string()});
  const RunResult seen = RunProgram(
      {HINDSIGHT_NODE, HINDSIGHT_CONSUMERS "/clicks.mjs", HINDSIGHT_CHROMIUM, server.url()});
  EXPECT_EQ(server.End(SIGINT), 0);
  ASSERT_EQ(seen.exit_code, 0) << seen.out << seen.err;
  const json ways = json::parse(seen.out);
  EXPECT_EQ(ways.size(), 5u);
  for (const auto& [problem, way] : ways.items()) {
    EXPECT_EQ(way["seen"], true) << problem << " leads to " << way["texts"];
    EXPECT_LE(way["clicks"], 4) << problem;
    EXPECT_LT(way["seconds"].get<double>(), 60) << problem;
  }
}

}  // namespace
}  // namespace hindsight::testing
