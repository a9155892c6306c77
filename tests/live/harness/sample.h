// The published samples and the programs under test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/live/harness/process.h"

namespace hindsight::live {

// Runtimes that the recorder promises to work in.
inline constexpr int kRuntimes[] = {8, 9, 10};

// The command that runs ExceptionStorm or Steady on a runtime's major version.
std::vector<std::string> Storm(int runtime, std::vector<std::string> arguments = {});
std::vector<std::string> Steady(std::vector<std::string> arguments = {});

std::filesystem::path StormTruth();

// Samples whose heap is known, including BigHeap.
inline const std::vector<std::string> kHeapSamples = {
    "Leak",       "EventLeak",        "TimerLeak",   "ClosureLeak", "CacheLeak",
    "HandleLeak", "ThreadStaticLeak", "GraphShapes", "Healthy",     "BigHeap"};
std::vector<std::string> HeapSample(int runtime, const std::string& name,
                                    std::vector<std::string> arguments = {});

// Runs WaitSamples, without naming a sample yet; likewise CpuSamples.
std::vector<std::string> WaitSamples(int runtime);
std::vector<std::string> CpuSamples(int runtime);

}  // namespace hindsight::live
