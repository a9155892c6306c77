// Time and memory that `hindsight fleet` needs for many recordings of a minute of a busy service:
// at first, when all are read, and again, when the catalogue knows them.
//
//   hindsight-bench-fleet [--recordings N] [--hosts N] [--rounds N] [--folder DIR]
//
// One recording is generated for each host (see tests/consumers/profile_recording.h); the others
// are that one with another id.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/fleet/catalogue.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "proto/segment.h"
#include "tests/consumers/profile_recording.h"
#include "tests/support/run.h"

namespace hindsight::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct FleetSettings {
  uint32_t recordings = 1000, hosts = 20;
  uint64_t first_id = 1;
};

// The same files under another id of the recording.
void WriteCopy(const std::vector<std::string>& files, uint64_t id, const fs::path& folder) {
  fs::create_directories(folder);
  for (size_t number = 0; number < files.size(); ++number) {
    std::string bytes = files[number];
    const std::span<std::byte> all = std::as_writable_bytes(std::span(bytes));
    for (size_t at = 0; at < all.size();) {
      SegmentHeader header;
      if (DecodeSegmentHeader(all.subspan(at), header) != HeaderError::kNone) {
        throw std::runtime_error("a generated segment cannot be read");
      }
      header.recording_id = id;
      EncodeSegmentHeader(header, all.subspan(at).first<kSegmentHeaderBytes>());
      at += kSegmentHeaderBytes + header.compressed_bytes;
    }
    char name[32];
    std::snprintf(name, sizeof name, "%06zu.hsr", number + 1);
    testing::WriteFile(folder / name, bytes);
  }
}

uint64_t Generate(const FleetSettings& settings, const fs::path& folder) {
  uint64_t bytes = 0;
  for (uint32_t host = 0; host < settings.hosts; ++host) {
    testing::ProfileSettings profile;
    profile.busy = true;
    profile.threads = 4;
    profile.methods = 2000;
    profile.seconds = 60;
    profile.host = "host-" + std::to_string(host);
    testing::ProfileTruth truth;
    const std::vector<std::string> files = testing::ProfileRecording(profile, truth).files();
    uint64_t size = 0;
    for (const std::string& file : files) size += file.size();
    for (uint32_t i = host; i < settings.recordings; i += settings.hosts) {
      WriteCopy(files, settings.first_id + i,
                folder / profile.host / ("Shop-" + std::to_string(i) + ".hindsight"));
      bytes += size;
    }
  }
  return bytes;
}

struct FleetRun {
  std::vector<double> seconds, mebibytes;

  void Measure(const std::string& folder) {
    const Clock::time_point at = Clock::now();
    const testing::RunResult result = testing::RunProgram({HINDSIGHT_BINARY, "fleet", folder});
    seconds.push_back(std::chrono::duration<double>(Clock::now() - at).count());
    if (result.exit_code != 0) throw std::runtime_error(result.err);
    mebibytes.push_back(static_cast<double>(result.max_rss_kib) / 1024);
  }
};

void Run(const FleetSettings& settings, const std::string& place, int rounds) {
  const Scratch scratch;
  const fs::path folder = (place.empty() ? fs::path(scratch.path()) : fs::path(place)) / "fleet";
  const uint64_t bytes = Generate(settings, folder);
  std::printf("%u recordings of a minute, %u hosts, %.0f MiB\n\n", settings.recordings,
              settings.hosts, static_cast<double>(bytes) / (1 << 20));
  FleetRun first, again;
  for (int round = 0; round < rounds; ++round) {
    fs::remove(folder / analyzer::kCatalogueName);
    first.Measure(folder.string());
    again.Measure(folder.string());
  }
  std::printf("%-16s %-24s peak MiB\n", "run", "seconds");
  for (const auto& [name, run] :
       {std::pair("all are read", &first), std::pair("all known", &again)}) {
    std::printf("%-16s %-24s %.0f\n", name, Summary(run->seconds, 2).c_str(),
                Median(run->mebibytes));
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hindsight::bench

int main(int argc, char** argv) {
  CLI::App app("hindsight-bench-fleet: time and memory for many recordings");
  hindsight::bench::FleetSettings settings;
  std::string folder;
  int rounds = 3;
  app.add_option("--recordings", settings.recordings, "How many")->check(CLI::Range(1, 1'000'000));
  app.add_option("--hosts", settings.hosts, "That they are of")->check(CLI::Range(1, 1000));
  app.add_option("--rounds", rounds, "How often to measure")->check(CLI::Range(1, 1000));
  app.add_option("--folder", folder, "Where to put them, if not in the temporary folder");
  CLI11_PARSE(app, argc, argv);
  try {
    hindsight::bench::Run(settings, folder, rounds);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "hindsight-bench-fleet: " << error.what() << "\n";
    return 1;
  }
}
