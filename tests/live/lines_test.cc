// Reports are right to the line: in Debug and Release builds, with tiers of compilation and
// without, with the PDB next to the assembly or embedded in it. The truth is given by marks in the
// sample's own source.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Build {
  const char* name;
  std::vector<std::string> command;
};

const std::vector<Build>& Builds() {
  static const std::vector<Build> kBuilds = {
      {"Net8Debug", {HINDSIGHT_LINES_8_DEBUG}},
      {"Net8ReleaseEmbedded", {HINDSIGHT_LINES_8_RELEASE}},
      {"Net10DebugEmbedded", {HINDSIGHT_DOTNET, HINDSIGHT_LINES_10_DEBUG}},
      {"Net10Release", {HINDSIGHT_DOTNET, HINDSIGHT_LINES_10_RELEASE}},
  };
  return kBuilds;
}

const fs::path kSource = HINDSIGHT_SOURCE_DIR "/samples/Lines";

// A line as reports write it: Throws.cs:12.
using Marks = std::map<std::string, std::string>;

Marks ReadMarks() {
  static const std::regex kMark(R"(// line: (\S+)$)");
  Marks marks;
  for (const auto& entry : fs::directory_iterator(kSource)) {
    if (entry.path().extension() != ".cs") continue;
    std::istringstream lines(ReadFile(entry.path()));
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      std::smatch mark;
      if (!std::regex_search(line, mark, kMark)) continue;
      const std::string place = entry.path().filename().string() + ":" + std::to_string(number);
      EXPECT_TRUE(marks.emplace(mark[1], place).second) << mark[1] << " stands twice";
    }
  }
  return marks;
}

std::string Place(const Json& at) {
  if (at.at("line").is_null()) return "unknown";
  return fs::path(at.at("file").get<std::string>()).filename().string() + ":" +
         std::to_string(at.at("line").get<int>());
}

// A handler begins on the line of its catch, of its brace or of its first statement: on the first
// of them that the compiler has an instruction for.
bool IsCatchOrBody(const std::string& place, const std::string& mark) {
  const size_t colon = mark.rfind(':') + 1;
  if (place.substr(0, colon) != mark.substr(0, colon)) return false;
  const int beyond = std::stoi(place.substr(colon)) - std::stoi(mark.substr(colon));
  return beyond >= 0 && beyond <= 2;
}

class LinesTest : public testing::TestWithParam<std::tuple<size_t, bool>> {
 protected:
  const Build& build() const { return Builds()[std::get<0>(GetParam())]; }
  bool tiered() const { return std::get<1>(GetParam()); }

  fs::path Record(const std::string& sources, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {
        "launch", "--profiler", HINDSIGHT_RECORDER,  "--output", output_.string(), "--sources",
        sources,  "--set",      "events.from=start", "--"};
    command.insert(command.end(),
                   {"env", tiered() ? "DOTNET_TieredCompilation=1" : "DOTNET_TieredCompilation=0"});
    command.insert(command.end(), build().command.begin(), build().command.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Ended ended = Trigger(command, workspace_.path());
    EXPECT_TRUE(ended.Succeeded()) << ended.Describe();
    const auto recordings = RecordingsIn(output_);
    EXPECT_EQ(recordings.size(), 1u);
    return recordings.empty() ? fs::path() : recordings.front();
  }

  const Marks marks_ = ReadMarks();
  Workspace workspace_;
  const fs::path output_ = workspace_ / "out";
};

// The case that a group of exceptions belongs to; empty: none.
std::string CaseOf(const Json& group) {
  const std::string type = group.at("type").at("name");
  if (type == "System.DivideByZeroException") return "division";
  if (type == "System.NullReferenceException") return "null";
  if (type == "System.FormatException") return "";  // on the way to another case
  return type == "Lines.CaseException" ? group.at("messages").at(0).at("text") : Json("");
}

TEST_P(LinesTest, OfThrowsCallersAndHandlers) {
  constexpr int kThrows = 60;  // enough for methods to be compiled again, with optimizations
  const fs::path recording = Record("exceptions", {"--throws", std::to_string(kThrows)});
  const Json report = HindsightJson("exceptions", recording, {"--lines"});
  std::map<std::string, uint64_t> thrown_at;  // by mark
  for (const Json& group : report.at("groups")) {
    const std::string name = CaseOf(group);
    SCOPED_TRACE(name);
    if (name.empty()) continue;
    uint64_t placed = 0;
    for (const Json& place : group.at("places")) {
      const Json& lines = place.at("lines");
      placed += place.at("count").get<uint64_t>();
      const std::string thrown = Place(lines.at(0));
      const bool is_second = thrown != marks_.at(name + ".throw");
      const std::string mark = name + (is_second ? ".throw-second" : ".throw");
      ASSERT_TRUE(marks_.contains(mark)) << "thrown at " << thrown;
      EXPECT_EQ(thrown, marks_.at(mark));
      thrown_at[mark] += place.at("count").get<uint64_t>();
      if (const auto call = marks_.find(name + ".call"); call != marks_.end()) {
        EXPECT_EQ(Place(lines.at(1)), call->second);
      }
    }
    EXPECT_EQ(placed, group.at("count").get<uint64_t>());
    const std::string handler = Place(group.at("catchers").at(0).at("method"));
    const std::string mark = marks_.at(name + ".catch");
    EXPECT_TRUE(IsCatchOrBody(handler, mark)) << handler << " instead of " << mark;
  }
  for (const auto& [mark, place] : marks_) {
    if (mark.find(".throw") == std::string::npos) continue;
    EXPECT_EQ(thrown_at[mark], static_cast<uint64_t>(kThrows)) << mark;
  }
}

TEST_P(LinesTest, OfWhatUsesTheProcessor) {
  const fs::path recording = Record("cpu", {"--burn", "800"});
  const Ended report = Hindsight("cpu", recording, {"--lines"});
  ASSERT_TRUE(report.Succeeded()) << report.Describe();
  const auto shows = [&](const std::string& method, const std::string& mark) {
    const std::string place = "Lines.Burning." + method + "  " + marks_.at(mark);
    EXPECT_NE(report.output.find(place), std::string::npos) << place << "\n" << report.output;
  };
  shows("Run", "burn.call-inner");
  shows("Inner", "burn.inner");
  shows("Run", "burn.call-called");
  shows("Called", "burn.called");
  shows("Callee", "burn.callee");
}

INSTANTIATE_TEST_SUITE_P(Of, LinesTest,
                         testing::Combine(testing::Range<size_t>(0, 4), testing::Bool()),
                         [](const auto& test) {
                           return std::string(Builds()[std::get<0>(test.param)].name) +
                                  (std::get<1>(test.param) ? "Tiered" : "OptimizedAtOnce");
                         });

TEST(LinesWithSourceLink, HaveTheAddressOfTheirText) {
  const Workspace workspace;
  const fs::path output = workspace / "out";
  const Ended ended =
      Trigger({"launch", "--profiler", HINDSIGHT_RECORDER, "--output", output.string(), "--",
               HINDSIGHT_DOTNET, HINDSIGHT_LINES_10_RELEASE, "--throws", "1"},
              workspace.path());
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  const auto recordings = RecordingsIn(output);
  ASSERT_EQ(recordings.size(), 1u);
  for (const Json& group : HindsightJson("exceptions", recordings[0], {"--lines"}).at("groups")) {
    EXPECT_EQ(group.at("path").at(0).at("file"), (kSource / "Throws.cs").string());
    EXPECT_EQ(group.at("path").at(0).at("url"), "https://example.org/code/Lines/Throws.cs");
  }
}

}  // namespace
}  // namespace hindsight::live
