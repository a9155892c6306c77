// Rules about the source tree that the build does not check. The build does check which folder may
// use which: hindsight_library in CMakeLists.txt.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = HINDSIGHT_SOURCE_DIR;
constexpr int kMostLines = 500;  // a longer file should be two

// Code without a library of its own (hindsight_library in CMakeLists.txt): programs. `x/` stands
// for x and everything below.
const std::map<std::string, std::set<std::string>> kPrograms = {
    {"analyzer/commands", {"analyzer/", "proto"}},
    {"trigger/commands",
     {"trigger/", "recorder/contract", "analyzer/base", "analyzer/cli", "proto"}},
    {"bench", {"bench/", "recorder/clr", "recorder/contract", "analyzer/", "proto", "tests/"}},
};

// Which analyses may use which: they are one library, so the linker cannot tell. All may use what
// is in analyses/ itself.
const std::map<std::string, std::set<std::string>> kAnalyses = {
    {"places", {}},
    {"references", {"places"}},
    {"gc", {"places"}},
    {"heap", {"places", "references"}},
    {"cpu", {"places"}},
    {"allocations", {"places", "references"}},
    {"waits", {"gc", "places", "references"}},
    {"overview", {"allocations", "cpu", "gc", "heap", "places", "references", "waits"}},
    {"comparison",
     {"allocations", "cpu", "gc", "heap", "overview", "places", "references", "waits"}},
};

// Generated from the schema, with protobuf's library and without.
const std::set<std::string> kSchema = {"proto/recording.pb.h", "proto/recording_fields.h"};

// Headers that a part of the tree must not use.
const std::map<std::string, std::set<std::string>> kForbidden = {
    // condition_variable: recorder/base/condition.h has one for every libc.
    {"recorder",
     {"iostream", "fstream", "sstream", "regex", "locale", "exception", "stdexcept",
      "condition_variable"}},
    // They link the reader, whose headers know the schema.
    {"analyzer/serve", kSchema},
    {"analyzer/commands", kSchema},
};

// Headers that only one system has: not in headers of the recorder that others include.
const std::set<std::string> kOfSystems = {"dlfcn.h",    "fcntl.h",    "io.h",          "link.h",
                                          "poll.h",     "pthread.h",  "sys/mman.h",    "sys/stat.h",
                                          "sys/wait.h", "ucontext.h", "sys/syscall.h", "unistd.h"};

struct Include {
  std::string name;
  bool is_ours = false;  // in quotation marks
};

struct Source {
  std::string name;    // relative to the root
  std::string folder;  // at most two levels: recorder/clr
  std::vector<Include> includes;
  int lines = 0;
  bool declares_thread_local = false;
  bool asks_about_threads = false;  // the runtime, by a ThreadID
  int broken_line = 0;              // the first that begins with what should end a line; 0: none
};

std::string Folder(const std::string& file) {
  const size_t first = file.find('/');
  const size_t second = file.find('/', first + 1);
  return file.substr(0, second == std::string::npos ? first : second);
}

Source Read(const fs::path& file) {
  Source source;
  source.name = file.lexically_relative(kRoot).string();
  source.folder = Folder(source.name);
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line); ++source.lines) {
    constexpr std::string_view kDirective = "#include ";
    if (source.broken_line == 0 && (line.starts_with(',') || line.starts_with(';'))) {
      source.broken_line = source.lines + 1;
    }
    if (const size_t at = line.find("thread_local "); at < line.find("//")) {
      source.declares_thread_local = true;
    }
    for (const char* question : {"->GetThreadInfo(", "->GetThreadStaticAddress",
                                 "->GetThreadContext(", "->GetHandleFromThread("}) {
      if (line.find(question) < line.find("//")) source.asks_about_threads = true;
    }
    if (!line.starts_with(kDirective) || line.size() < kDirective.size() + 2) continue;
    const char open = line[kDirective.size()];
    const size_t begin = kDirective.size() + 1;
    const size_t end = line.find(open == '<' ? '>' : '"', begin);
    source.includes.push_back({line.substr(begin, end - begin), open == '"'});
  }
  return source;
}

const std::vector<Source>& Sources() {
  static const std::vector<Source> kSources = [] {
    std::vector<Source> sources;
    for (const char* top : {"proto", "recorder", "trigger", "analyzer", "bench"}) {
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
        const std::string extension = entry.path().extension();
        if (extension == ".h" || extension == ".cc") sources.push_back(Read(entry.path()));
      }
    }
    return sources;
  }();
  return kSources;
}

template <typename Value>
const Value* RowOf(const std::map<std::string, Value>& table, const std::string& folder) {
  if (const auto row = table.find(folder); row != table.end()) return &row->second;
  const auto top = table.find(folder.substr(0, folder.find('/')));
  return top == table.end() ? nullptr : &top->second;
}

bool Allows(const std::set<std::string>& arrows, const std::string& target) {
  if (arrows.contains(target)) return true;
  return arrows.contains(target.substr(0, target.find('/')) + "/");
}

TEST(House, ProgramsKnowWhatTheyMay) {
  std::set<std::string> seen;
  for (const Source& source : Sources()) {
    const std::set<std::string>* allowed = RowOf(kPrograms, source.folder);
    if (allowed == nullptr) continue;
    seen.insert(source.folder);
    for (const Include& include : source.includes) {
      if (!include.is_ours || Folder(include.name) == source.folder) continue;
      EXPECT_TRUE(Allows(*allowed, Folder(include.name)))
          << source.name << " includes " << include.name;
    }
  }
  EXPECT_GE(seen.size(), kPrograms.size());
}

// A folder that is compiled has a library, whose CMakeLists.txt says what it knows.
TEST(House, EveryFolderHasItsLibrary) {
  size_t folders = 0;
  for (const Source& source : Sources()) {
    const std::string top = source.folder.substr(0, source.folder.find('/'));
    if ((top != "recorder" && top != "analyzer") || !source.name.ends_with(".cc")) continue;
    if (source.folder == top || source.folder == "recorder/portable") continue;
    if (kPrograms.contains(source.folder)) continue;
    ++folders;
    EXPECT_TRUE(fs::exists(kRoot / source.folder / "CMakeLists.txt")) << source.name;
  }
  EXPECT_GT(folders, 300u);
}

TEST(House, AnalysesKnowWhatTheyMay) {
  const std::string analyses = "analyzer/analyses/";
  const auto of = [&analyses](const std::string& name) -> std::string {
    const size_t end =
        name.starts_with(analyses) ? name.find('/', analyses.size()) : std::string::npos;
    return end == std::string::npos ? "" : name.substr(analyses.size(), end - analyses.size());
  };
  size_t arrows = 0;
  for (const Source& source : Sources()) {
    const std::string analysis = of(source.name);
    if (analysis.empty()) continue;
    const auto allowed = kAnalyses.find(analysis);
    ASSERT_NE(allowed, kAnalyses.end())
        << source.name << ": its folder has no place among the analyses";
    for (const Include& include : source.includes) {
      const std::string target = of(include.name);
      if (target.empty() || target == analysis) continue;
      ++arrows;
      EXPECT_TRUE(allowed->second.contains(target)) << source.name << " includes " << include.name;
    }
  }
  EXPECT_GT(arrows, 20u);
}

TEST(House, IncludesAreWrittenFromTheRoot) {
  for (const Source& source : Sources()) {
    for (const Include& include : source.includes) {
      if (!include.is_ours) continue;
      const bool is_generated = include.name.ends_with(".pb.h") || kSchema.contains(include.name);
      EXPECT_TRUE(is_generated || fs::exists(kRoot / include.name))
          << source.name << " includes " << include.name;
    }
  }
}

TEST(House, PartsDoWithoutWhatIsForbiddenThere) {
  for (const Source& source : Sources()) {
    const std::set<std::string>* forbidden = RowOf(kForbidden, source.folder);
    for (const Include& include : source.includes) {
      EXPECT_FALSE(forbidden != nullptr && forbidden->contains(include.name))
          << source.name << " includes " << include.name;
      // The recorder writes protobuf by itself: protobuf's library cannot be linked into a shared
      // object.
      EXPECT_FALSE(source.name.starts_with("recorder/") &&
                   (include.name.starts_with("google/") || include.name.ends_with(".pb.h")))
          << source.name << " includes " << include.name;
    }
  }
}

// The reader turns messages into the model, so that nothing else depends on the schema. A cut is
// the exception: its packets go into the new recording as they are, and only what describes the
// recording as a whole is rewritten, so there is no model in between.
TEST(House, OnlyTheReaderAndCutsKnowTheSchema) {
  const std::set<std::string> known = {"analyzer/cut", "analyzer/reader"};
  std::set<std::string> found;
  for (const Source& source : Sources()) {
    if (!source.name.starts_with("analyzer/")) continue;
    for (const Include& include : source.includes) {
      if (include.name != "proto/recording.pb.h") continue;
      EXPECT_TRUE(known.contains(source.folder)) << source.name;
      found.insert(source.folder);
    }
  }
  EXPECT_EQ(found, known);
}

// recorder/base/thread_local.h says why there are few, and what holds for them.
TEST(House, VariablesOfThreadsAreWhereNoSignalHandlerReadsThem) {
  const std::set<std::string> known = {"recorder/base/thread_linux.cc",
                                       "recorder/stream/own_track_linux.cc"};
  std::set<std::string> found;
  for (const Source& source : Sources()) {
    if (!source.name.starts_with("recorder/") || !source.declares_thread_local) continue;
    EXPECT_TRUE(known.contains(source.name)) << source.name;
    found.insert(source.name);
  }
  EXPECT_EQ(found, known);
}

// The runtime does not check ids of threads: recorder/names/thread_gate.h. The snapshot queries
// them only during its pause.
TEST(House, OnlyTheGateAsksAboutThreads) {
  const std::set<std::string> known = {"recorder/names/thread_gate.cc",
                                       "recorder/stack/thread_snapshot_taker.cc"};
  std::set<std::string> found;
  for (const Source& source : Sources()) {
    if (source.asks_about_threads) found.insert(source.name);
  }
  EXPECT_EQ(found, known);
}

// System-specific code is behind headers that name no system.
TEST(House, SystemsAreInFilesOfTheirOwn) {
  for (const Source& source : Sources()) {
    const bool is_for_windows = source.name.ends_with("_windows.cc");
    for (const Include& include : source.includes) {
      EXPECT_TRUE(is_for_windows || include.name != "windows.h") << source.name;
      EXPECT_FALSE(is_for_windows && include.name == "unistd.h") << source.name;
      const bool is_header = source.name.ends_with(".h");
      const bool is_for_linux =
          source.name.ends_with("_linux.cc") || source.name.ends_with("_linux.h") || !is_header;
      EXPECT_TRUE(is_for_linux || !include.name.ends_with("_linux.h")) << source.name;
      EXPECT_TRUE(is_for_windows || source.name.ends_with("_windows.h") ||
                  !include.name.ends_with("_windows.h"))
          << source.name << " includes " << include.name;
      EXPECT_FALSE(source.name.starts_with("recorder/") && is_header &&
                   !source.name.ends_with("_linux.h") && kOfSystems.contains(include.name))
          << source.name << " includes " << include.name;
    }
  }
}

TEST(House, NoFileIsTwoIdeas) {
  for (const Source& source : Sources()) {
    EXPECT_LE(source.lines, kMostLines) << source.name;
  }
}

// clang-format 14 breaks a lambda in a list if its result is `auto&`: decltype(auto) is used there.
TEST(House, TheFormatterHasBrokenNoLine) {
  for (const Source& source : Sources()) {
    EXPECT_EQ(source.broken_line, 0) << source.name;
  }
}

}  // namespace
