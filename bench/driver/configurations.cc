#include "bench/driver/configurations.h"

#include <utility>

#include "recorder/contract/control.h"
#include "recorder/contract/options.h"

namespace hindsight::bench {
namespace {

Environment Profiler(const char* library) {
  return {{"CORECLR_ENABLE_PROFILING", "1"},
          {"CORECLR_PROFILER", contract::kProfilerGuid},
          {"CORECLR_PROFILER_PATH", library}};
}

}  // namespace

std::vector<Configuration> Configurations(const std::filesystem::path& scratch,
                                          const std::string& dotnet_trace) {
  std::vector<Configuration> result;
  result.push_back({"bare", {}, {}, {}});

  Configuration recorder{"recorder", {}, Profiler(HINDSIGHT_RECORDER), scratch / "recorder"};
  recorder.environment.emplace_back(contract::kOptionsVariable,
                                    "limit.disk=16GiB;output=" + recorder.recordings.string());
  result.push_back(recorder);

  // The runtime's own cost: of callbacks, and of an event session for the same events (level 4) or
  // for throws only (level 2); the handlers do nothing.
  result.push_back({"empty callbacks", {}, Profiler(HINDSIGHT_NULL_PROFILER), {}});
  for (const auto& [name, events] :
       {std::pair{"empty events", "0x8000:4"}, std::pair{"empty, throws", "0x8000:2"}}) {
    Configuration session{name, {}, Profiler(HINDSIGHT_NULL_PROFILER), {}};
    session.environment.emplace_back("HINDSIGHT_BENCH_EVENTS", events);
    result.push_back(std::move(session));
  }

  if (!dotnet_trace.empty()) {
    Configuration trace{"dotnet-trace", {}, {}, scratch / "dotnet-trace"};
    trace.prefix = {dotnet_trace,
                    "collect",
                    "--providers",
                    "Microsoft-Windows-DotNETRuntime:0x8000:4",
                    "--show-child-io",
                    "-o",
                    trace.recordings / "trace.nettrace",
                    "--"};
    result.push_back(trace);
  }
  return result;
}

uint64_t BytesIn(const std::filesystem::path& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

}  // namespace hindsight::bench
