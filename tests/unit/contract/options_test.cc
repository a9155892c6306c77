#include "recorder/contract/options.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace hindsight::contract {
namespace {

Options Parsed(std::string_view text) {
  Options options;
  EXPECT_EQ(ParseOptions(text, options), "") << text;
  return options;
}

std::string Error(std::string_view text) {
  Options options;
  options.output = "/before";
  std::string error = ParseOptions(text, options);
  EXPECT_NE(error, "") << text;
  EXPECT_EQ(options.output, "/before") << "a refused text changed the options";
  return error;
}

TEST(Options, NothingMeansTheDefaults) {
  for (const std::string_view text : {"", " ", ";", " ; ;; ", "\n"}) {
    const Options options = Parsed(text);
    EXPECT_EQ(options.output, "");
    EXPECT_EQ(options.duration_ns, 0u);
    for (const SourceInfo& source : Catalogue()) {
      EXPECT_EQ(options.Has(source.id), source.IsOnByDefault());
    }
    EXPECT_EQ(options.memory_limit_bytes, 32u << 20);
    EXPECT_EQ(options.disk_limit_bytes, 256u << 20);
    EXPECT_TRUE(options.exception_messages);
    EXPECT_EQ(options.exception_message_chars, 256u);
  }
}

TEST(Options, ReadsEveryKey) {
  const Options options = Parsed(
      "output=/var/rec; for = 1h30m ;sources=exceptions,gc;match=*Shop.dll*;limit.memory=64MiB;"
      "limit.disk=1.5 GiB;exceptions.messages=off;exceptions.message_chars=0");
  EXPECT_EQ(options.output, "/var/rec");
  EXPECT_EQ(options.duration_ns, 5400ull * 1'000'000'000);
  EXPECT_TRUE(options.Has(Source::kExceptions));
  EXPECT_FALSE(options.Has(Source::kThreads));
  EXPECT_FALSE(options.Has(Source::kModules));
  EXPECT_TRUE(options.Has(Source::kGc));
  EXPECT_EQ(options.match, "*Shop.dll*");
  EXPECT_EQ(options.memory_limit_bytes, 64u << 20);
  EXPECT_EQ(options.disk_limit_bytes, 3ull << 29);
  EXPECT_FALSE(options.exception_messages);
  EXPECT_EQ(options.exception_message_chars, 0u);
}

TEST(Options, UnescapesValues) {
  EXPECT_EQ(Parsed(R"(output=/a\;b\\c;for=1s)").output, R"(/a;b\c)");
  EXPECT_EQ(Parsed("match=a=b").match, "a=b");
  EXPECT_EQ(Parsed("output=/caf\xc3\xa9").output, "/caf\xc3\xa9");
  Error(R"(output=/a\b)");
  Error(R"(output=/a\)");
}

TEST(Options, SourcesAddAndTakeAway) {
  EXPECT_EQ(Parsed("sources=all").sources.count(), kSourceCount);
  EXPECT_EQ(Parsed("sources=-gc").sources.count(), Options().sources.count() - 1);
  EXPECT_FALSE(Parsed("sources=-gc").Has(Source::kGc));
  EXPECT_EQ(Parsed("sources=all, -gc, -threads").sources.count(), kSourceCount - 2);
  EXPECT_EQ(Parsed("sources=+heap").sources, Parsed("sources=all").sources);
  EXPECT_EQ(Parsed("sources=+heap,-gc").sources, Parsed("sources=all,-gc").sources);
  EXPECT_EQ(Parsed("sources=gc,+heap").sources, Parsed("sources=gc,heap").sources);
  EXPECT_EQ(Parsed("sources=exceptions").sources.count(), 1u);
  EXPECT_NE(
      Error("sources=disk")
          .find("exceptions, threads, modules, gc, locks, waits, cpu, allocations, requests, heap"),
      std::string::npos);
  Error("sources=+");
  Error("sources=");
  Error("sources=gc,");
  EXPECT_NE(Error("sources=gc,-gc").find("nothing is left to record"), std::string::npos);
}

TEST(Options, MaskIsTheUnionOfTheSourcesThatAreOn) {
  // Whatever is recorded, notifications of unloaded code are enabled.
  EXPECT_EQ(Parsed("sources=threads").Mask(), clr::kMonitorThreads | clr::kForQuestions);
  const clr::EventMask exceptions = Parsed("sources=exceptions").Mask();
  // A source with stacks needs more than its own callbacks, see the catalogue.
  for (const clr::EventMask needed :
       {clr::kMonitorExceptions, clr::kEnableStackSnapshot, clr::kMonitorModuleLoads,
        clr::kMonitorDynamicFunctionUnloads, clr::kBasicGc, clr::kMonitorSuspends}) {
    EXPECT_EQ(exceptions & needed, needed);
  }
  EXPECT_EQ(exceptions & clr::kMonitorGc, clr::EventMask{});
  EXPECT_EQ(Parsed("sources=exceptions,threads").Mask(), exceptions | clr::kMonitorThreads);
  EXPECT_TRUE(Parsed("").Mask().Without(clr::kAllowedAfterAttach).empty());
}

TEST(Options, ErrorsNameTheEntryAndWhatItMayBe) {
  EXPECT_EQ(Error("output=rec"),
            "The option \"output=rec\" is invalid: must be an absolute folder (/...).");
  EXPECT_EQ(Error("for=1s;verbose"),
            "The option \"verbose\" has no value; write options as key=value;key=value.");
  EXPECT_NE(Error("color=red").find("There is no option \"color\"; there are output, for,"),
            std::string::npos);
  EXPECT_EQ(Error("for=1s;for=2s"), "The option \"for\" is given twice.");
  EXPECT_NE(Error("for=soon").find("30s"), std::string::npos);
  EXPECT_NE(Error("limit.memory=1MiB").find("16MiB to 4GiB"), std::string::npos);
  EXPECT_NE(Error("limit.memory=5GiB").find("16MiB to 4GiB"), std::string::npos);
  EXPECT_NE(Error("limit.disk=2TiB").find("4MiB to 1TiB"), std::string::npos);
  EXPECT_NE(Error("exceptions.messages=yes").find("on or off"), std::string::npos);
  for (const std::string_view chars : {"", "-1", "4097", "12x", "99999999999999999999"}) {
    EXPECT_NE(Error("exceptions.message_chars=" + std::string(chars)).find("0 to 4096"),
              std::string::npos);
  }
  EXPECT_NE(Error("requests.details=all").find("off, on or texts"), std::string::npos);
  for (const std::string_view hz : {"0", "1001", "", "fast"}) {
    EXPECT_NE(Error("cpu.hz=" + std::string(hz)).find("1 to 1000"), std::string::npos);
  }
  for (const std::string_view duration : {"0s", "0ms", "9000h", "5x", "-5s", ""}) {
    Error("for=" + std::string(duration));
  }
}

TEST(Options, RefusesWhatARecordingCannotHold) {
  EXPECT_NE(Error(std::string("output=/a\0b", 11)).find("control character"), std::string::npos);
  EXPECT_NE(Error("output=/a\x1b[2Jb").find("control character"), std::string::npos);
  EXPECT_NE(Error("match=\xff").find("not UTF-8"), std::string::npos);
  EXPECT_NE(Error("match=\xed\xa0\x80").find("not UTF-8"), std::string::npos);
  EXPECT_NE(Error("output=/" + std::string(5000, 'x')).find("longer than"), std::string::npos);
  EXPECT_NE(Error("match=" + std::string(5000, 'x')).find("longer than"), std::string::npos);
}

TEST(Options, ErrorsAreShortAndHarmlessOnATerminal) {
  for (const std::string& text :
       {std::string(kMaxOptionsBytes + 1, ';'), std::string(kMaxOptionsBytes, 'x'),
        "\x1b[31m=" + std::string(3000, 'y'), std::string("\xff\xfe\xc2\x9b=1", 6)}) {
    const std::string error = Error(text);
    EXPECT_LT(error.size(), 500u);  // the names of all options are in it
    for (const char c : error) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << error;
    EXPECT_EQ(error.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(error.back(), '.');
  }
}

TEST(Options, FormatIsReadBack) {
  for (const std::string_view text :
       {"", "for=1h30m", "output=/a\\;b\\\\c", "sources=exceptions,threads", "match=*x?*",
        "limit.memory=17MiB;limit.disk=4194305", "limit.disk=1GiB",
        "for=1m500ms;exceptions.messages=off;exceptions.message_chars=12",
        "events.from=start;locks.task_waits=on", "cpu.hz=1000;allocations.survivors=off",
        "requests.routes=on", "requests.routes=on;requests.details=on", "requests.details=texts"}) {
    EXPECT_EQ(FormatOptions(Parsed(text)), text);
  }
  EXPECT_EQ(FormatOptions(Parsed("sources=exceptions,threads,modules,gc,locks,waits,cpu,"
                                 "allocations,requests;limit.disk=256MiB")),
            "");
  EXPECT_EQ(FormatOptions(Parsed("events.from=quiet")), "");
  EXPECT_EQ(Error("events.from=later").find("quiet or start") != std::string::npos, true);
  EXPECT_EQ(FormatOptions(Parsed("sources=-threads,-modules")),
            "sources=exceptions,gc,locks,waits,cpu,allocations,requests");
}

TEST(Options, ParsingIsTotal) {
  constexpr std::string_view kPieces[] = {"output=",  "/",  "for=", "1",           "h", ";",
                                          "\\",       "=",  " ",    "gc",          "-", ",",
                                          "sources=", "\n", "\xc3", "limit.disk=", "G", "."};
  std::mt19937 random(1);
  for (int run = 0; run < 20'000; ++run) {
    std::string text;
    for (auto pieces = random() % 12; pieces > 0; --pieces) {
      text += kPieces[random() % std::size(kPieces)];
    }
    Options options;
    if (!ParseOptions(text, options).empty()) continue;
    Options again;
    ASSERT_EQ(ParseOptions(FormatOptions(options), again), "") << text;
    ASSERT_EQ(FormatOptions(again), FormatOptions(options)) << text;
  }
}

bool IsMatch(std::string_view pattern, std::string_view command_line) {
  Options options;
  options.match = pattern;
  return Matches(options, command_line);
}

TEST(Matches, IsAGlobOverTheWholeCommandLine) {
  EXPECT_TRUE(IsMatch("", "anything"));
  EXPECT_TRUE(IsMatch("*", ""));
  EXPECT_TRUE(IsMatch("*Shop.dll*", "dotnet /srv/Shop.dll --port 80"));
  EXPECT_FALSE(IsMatch("Shop.dll", "dotnet Shop.dll"));
  EXPECT_TRUE(IsMatch("dotnet *.dll", "dotnet a.dll.dll"));
  EXPECT_FALSE(IsMatch("dotnet *.dll", "dotnet a.dll x"));
  EXPECT_TRUE(IsMatch("a?c", "abc"));
  EXPECT_TRUE(IsMatch("a?c",
                      "a\xc3\xa9"
                      "c"));
  EXPECT_FALSE(IsMatch("a?c", "ac"));
  EXPECT_FALSE(IsMatch("a", ""));
  EXPECT_TRUE(IsMatch("*a*b*", "xaxxbx"));
  EXPECT_FALSE(IsMatch("*a*b*", "xbxxax"));
}

TEST(Matches, TheWorstPatternIsBounded) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(IsMatch(pattern + "*b", std::string(1 << 20, 'a')));
}

TEST(Units, Sizes) {
  const auto size = [](std::string_view text) {
    uint64_t bytes = 77;
    return ParseSize(text, bytes) ? std::optional(bytes) : std::nullopt;
  };
  EXPECT_EQ(size("0"), 0u);
  EXPECT_EQ(size("12"), 12u);
  EXPECT_EQ(size("12B"), 12u);
  EXPECT_EQ(size("1.5 MiB"), 3u << 19);
  EXPECT_EQ(size("1.5m"), 3u << 19);
  EXPECT_EQ(size("2kib"), 2048u);
  EXPECT_EQ(size("1T"), 1ull << 40);
  EXPECT_EQ(size("1MB"), 1'000'000u);
  EXPECT_EQ(size("1.5 kB"), 1'500u);
  EXPECT_EQ(size("0.000000001 TiB"), 1099u);
  EXPECT_EQ(size("18446744073709551615"), ~0ull);
  for (const std::string_view text : {"", "x", "1X", "-1", "1.", ".5", "1.5.5", "1 M B", " 1",
                                      "18446744073709551616", "16777216T", "0.0000000001T"}) {
    EXPECT_EQ(size(text), std::nullopt) << text;
  }
}

TEST(Options, OfHeapSnapshots) {
  const Options defaults = Parsed("sources=heap");
  EXPECT_TRUE(defaults.Has(Source::kHeap));
  EXPECT_FALSE(Parsed("").Has(Source::kHeap));
  EXPECT_EQ(defaults.heap.every_ns, 0u);
  EXPECT_EQ(defaults.heap.growth_percent, 0u);
  EXPECT_EQ(defaults.heap.method, HeapMethod::kAuto);
  EXPECT_TRUE(defaults.heap.values.empty());

  const std::string text =
      "sources=heap;heap.every=10m;heap.growth=50%;heap.method=in-pause;heap.roots=documented;"
      "heap.max_pause=200ms;heap.max_memory=64MiB;heap.timeout=30s;"
      "heap.values=Shop.Order._id,System.String;heap.text_chars=16";
  const Options options = Parsed(text);
  EXPECT_EQ(options.heap.every_ns, 600'000'000'000u);
  EXPECT_EQ(options.heap.growth_percent, 50u);
  EXPECT_EQ(options.heap.method, HeapMethod::kInPause);
  EXPECT_EQ(options.heap.roots, RootsChoice::kDocumented);
  EXPECT_EQ(options.heap.max_pause_ns, 200'000'000u);
  EXPECT_EQ(options.heap.max_memory_bytes, 64u << 20);
  EXPECT_EQ(options.heap.timeout_ns, 30'000'000'000u);
  EXPECT_EQ(options.heap.values, (std::vector<std::string>{"Shop.Order._id", "System.String"}));
  EXPECT_EQ(options.heap.text_chars, 16u);
  EXPECT_EQ(FormatOptions(options), text);
}

TEST(Options, RegularSnapshotsAddTheirSource) {
  for (const std::string_view text : {"heap.every=10m", "heap.growth=50%"}) {
    EXPECT_EQ(Parsed(text).sources, Parsed("sources=+heap").sources) << text;
  }
  EXPECT_FALSE(Parsed("heap.every=off;heap.growth=off;heap.timeout=30s").Has(Source::kHeap));
  // Not to sources that were chosen without it, in whatever order.
  for (const std::string_view text :
       {"sources=gc;heap.every=10m", "heap.every=10m;sources=-heap"}) {
    EXPECT_NE(Error(text).find("heap.every needs the source heap"), std::string::npos) << text;
  }
  EXPECT_NE(Error("sources=gc;heap.growth=50%").find("heap.growth needs the source heap"),
            std::string::npos);
  EXPECT_FALSE(Parsed("sources=gc;heap.every=off").Has(Source::kHeap));
}

TEST(Options, OfHeapSnapshotsThatCannotBeUsed) {
  for (const std::string_view entry :
       {"heap.every=1ms", "heap.every=often", "heap.growth=0", "heap.growth=x%",
        "heap.method=magic", "heap.roots=guess", "heap.max_pause=0", "heap.max_memory=1KiB",
        "heap.timeout=2h", "heap.values=", "heap.values=a,,b", "heap.text_chars=4097"}) {
    EXPECT_NE(Error(entry).find(entry), std::string::npos) << entry;
  }
}

TEST(Units, Durations) {
  const auto duration = [](std::string_view text) {
    uint64_t nanoseconds = 77;
    return ParseDuration(text, nanoseconds) ? std::optional(nanoseconds) : std::nullopt;
  };
  EXPECT_EQ(duration("500ms"), 500'000'000u);
  EXPECT_EQ(duration("30s"), 30'000'000'000u);
  EXPECT_EQ(duration("1h30m"), 5'400'000'000'000u);
  EXPECT_EQ(duration("1h1m1s1ms"), 3'661'001'000'000u);
  EXPECT_EQ(duration("90m"), 5'400'000'000'000u);
  EXPECT_EQ(duration("90min"), 5'400'000'000'000u);
  EXPECT_EQ(duration("30"), 30'000'000'000u);
  EXPECT_EQ(duration("1.5"), 1'500'000'000u);
  EXPECT_EQ(duration("1.5s"), 1'500'000'000u);
  EXPECT_EQ(duration("1d12h"), 129'600'000'000'000u);
  EXPECT_EQ(duration("250us3ns"), 250'003u);
  for (const std::string_view text : {"", "s", "1s1s", "1s1m", "1m1min", "1s5", "5 ", "1.s", "1 s",
                                      "-1s", "1S", "99999999999999h", "18446744073709551615h1s"}) {
    EXPECT_EQ(duration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hindsight::contract
