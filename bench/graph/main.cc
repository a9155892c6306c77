// Time by phase and peak memory that the analyzer needs for the graph of a heap.
//
//   hindsight-bench-graph [--objects N] [--shape irregular|regular|list] [--rounds N]
//
// Writes a recording of that many objects, then reads it and computes all retained sizes, in a
// process of its own for each round. Prints every round, and the medians.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/reader/heap_reader.h"
#include "bench/graph/generator.h"

namespace hindsight::bench {
namespace {

struct Round {
  double load_s = 0, dominators_s = 0;
  double peak_bytes = 0;  // resident, of the whole process
  double graph_bytes = 0;
  double objects = 0, references = 0, reachable = 0;
};

double PeakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
  }
  throw std::runtime_error("the peak of memory is not known");
}

// In this process: prints a Round for its parent.
int Measure(const std::string& folder) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  };
  const Clock::time_point start = Clock::now();
  const auto model = analyzer::ReadHeap({&folder, 1}, {});
  if (!model) throw std::runtime_error(model.error().sentence);
  const analyzer::HeapGraph& graph = (*model)->graph;
  const Clock::time_point loaded = Clock::now();
  const analyzer::Dominators dominators = analyzer::ComputeDominators(graph);
  const Clock::time_point done = Clock::now();
  uint64_t references = 0;
  for (analyzer::ObjectId id = 0; id < graph.size(); ++id) {
    references += graph.References(id).size();
  }
  std::printf("%f %f %f %f %u %llu %llu\n", seconds(start, loaded), seconds(loaded, done),
              PeakBytes(), static_cast<double>(graph.memory_bytes()), graph.size(),
              static_cast<unsigned long long>(references),
              static_cast<unsigned long long>(dominators.reachable_objects));
  return 0;
}

Round RunChild(const std::string& folder) {
  const std::string command =
      "/proc/" + std::to_string(getpid()) + "/exe --measure '" + folder + "'";
  FILE* out = popen(command.c_str(), "r");
  if (out == nullptr) throw std::runtime_error("cannot start a process");
  Round round;
  const int read = std::fscanf(out, "%lf %lf %lf %lf %lf %lf %lf", &round.load_s,
                               &round.dominators_s, &round.peak_bytes, &round.graph_bytes,
                               &round.objects, &round.references, &round.reachable);
  if (pclose(out) != 0 || read != 7) throw std::runtime_error("a round failed");
  return round;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void PrintRow(const char* name, const Round& round) {
  std::printf("%-8s %7.2f s %10.2f s %7.2f s %13.1f %14.1f\n", name, round.load_s,
              round.dominators_s, round.load_s + round.dominators_s,
              round.peak_bytes / round.objects, round.graph_bytes / round.objects);
  std::fflush(stdout);
}

struct TempFolder {
  std::string path = (std::filesystem::temp_directory_path() / "hindsight-graph-XXXXXX").string();
  TempFolder() {
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
  }
  ~TempFolder() { std::filesystem::remove_all(path); }
};

int Run(HeapShape shape, const std::string& shape_name, uint64_t objects, int rounds) {
  const TempFolder folder;
  const uint64_t written = WriteHeap(shape, objects, folder.path);
  std::vector<Round> all;
  for (int i = 0; i < rounds; ++i) {
    all.push_back(RunChild(folder.path));
    if (i == 0) {
      const Round& first = all[0];
      std::printf(
          "%s: %.0f objects, %.0f references, %.1f %% reachable, %.2f bytes an object on "
          "disk\n\n         %9s %12s %9s %13s %14s\n",
          shape_name.c_str(), first.objects, first.references,
          100 * first.reachable / first.objects, static_cast<double>(written) / first.objects,
          "load", "dominators", "both", "peak B/object", "graph B/object");
    }
    PrintRow(std::to_string(i + 1).c_str(), all.back());
  }
  Round median = all[0];
  const auto median_of = [&all](double Round::*field) {
    std::vector<double> values;
    for (const Round& round : all) values.push_back(round.*field);
    return Median(values);
  };
  median.load_s = median_of(&Round::load_s);
  median.dominators_s = median_of(&Round::dominators_s);
  median.peak_bytes = median_of(&Round::peak_bytes);
  PrintRow("median", median);
  return 0;
}

}  // namespace
}  // namespace hindsight::bench

int main(int argc, char** argv) {
  CLI::App app("hindsight-bench-graph: time and memory for the graph of a heap");
  uint64_t objects = 10'000'000;
  std::string shape_name = "irregular";
  std::string folder;
  std::string written;
  int rounds = 5;
  app.add_option("--objects", objects, "How many objects")->check(CLI::Range(1, 500'000'000));
  app.add_option("--shape", shape_name, "irregular, regular or list");
  app.add_option("--rounds", rounds, "How often to measure")->check(CLI::Range(1, 1000));
  app.add_option("--write", written, "Only write the recording, into this folder");
  app.add_option("--measure", folder, "Measure once, in this process, a recording that is there");
  CLI11_PARSE(app, argc, argv);
  const auto shape = hindsight::bench::ParseHeapShape(shape_name);
  try {
    if (!folder.empty()) return hindsight::bench::Measure(folder);
    if (!shape) throw std::runtime_error("no such shape: irregular, regular or list");
    if (!written.empty()) return hindsight::bench::WriteHeap(*shape, objects, written) == 0;
    return hindsight::bench::Run(*shape, shape_name, objects, rounds);
  } catch (const std::exception& error) {
    std::cerr << "hindsight-bench-graph: " << error.what() << "\n";
    return 1;
  }
}
