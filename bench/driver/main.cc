// hindsight-bench: side-by-side measurements. Every round runs each configuration once, one after
// another, so that changes of the machine affect all of them; ratios are computed within a round.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "bench/allocations/allocations.h"
#include "bench/compile/compile.h"
#include "bench/cpu/cpu.h"
#include "bench/driver/child.h"
#include "bench/driver/configurations.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "bench/heap/heap.h"
#include "bench/locks/locks.h"
#include "bench/requests/requests.h"
#include "bench/service/service.h"
#include "bench/startup/startup.h"

namespace {

using hindsight::bench::BytesIn;
using hindsight::bench::Configuration;
using hindsight::bench::Configurations;
using hindsight::bench::Measured;
using hindsight::bench::Median;
using hindsight::bench::RunChild;
using hindsight::bench::Scratch;
using hindsight::bench::Summary;

struct Settings {
  int rounds = 10;
  int milliseconds = 1500;
  std::string dotnet_trace;
};

Measured RunOne(const Configuration& configuration, const std::vector<std::string>& program) {
  if (!configuration.recordings.empty()) {
    std::filesystem::remove_all(configuration.recordings);
    std::filesystem::create_directories(configuration.recordings);
  }
  std::vector<std::string> command = configuration.prefix;
  command.insert(command.end(), program.begin(), program.end());
  Measured measured = RunChild(command, configuration.environment);
  if (measured.exit_code != 0) {
    throw std::runtime_error(configuration.name + ": the program failed with exit code " +
                             std::to_string(measured.exit_code));
  }
  return measured;
}

int Exceptions(const Settings& settings) {
  const Scratch scratch;
  const auto configurations = Configurations(scratch.path(), settings.dotnet_trace);
  const std::vector<std::string> program = {HINDSIGHT_DOTNET, HINDSIGHT_THROUGHPUT,
                                            "--milliseconds",
                                            std::to_string(settings.milliseconds)};
  // By depth, then by configuration: one value per round.
  std::map<int, std::map<std::string, std::vector<double>>> throughput, by_cpu;
  std::map<std::string, std::vector<double>> bytes;
  for (int round = 1; round <= settings.rounds; ++round) {
    for (const Configuration& configuration : configurations) {
      std::fprintf(stderr, "round %d of %d: %s\n", round, settings.rounds,
                   configuration.name.c_str());
      const Measured measured = RunOne(configuration, program);
      std::istringstream lines(measured.output);
      double total = 0;
      for (std::string line; std::getline(lines, line);) {
        double value = 0, of_cpu = 0;
        int depth = 0;
        if (std::sscanf(line.c_str(), "total %lf", &value) == 1) {
          total = value;
        } else if (std::sscanf(line.c_str(), "%d %lf %lf", &depth, &value, &of_cpu) == 3) {
          throughput[depth][configuration.name].push_back(value);
          by_cpu[depth][configuration.name].push_back(of_cpu);
        }
      }
      if (total == 0) throw std::runtime_error(configuration.name + ": no result in its output");
      if (!configuration.recordings.empty()) {
        bytes[configuration.name].push_back(static_cast<double>(BytesIn(configuration.recordings)) /
                                            total);
      }
    }
  }

  std::printf("throw/catch on one thread, %d rounds: median (smallest to largest)\n",
              settings.rounds);
  const auto table = [&](const char* what, const auto& measured) {
    std::printf("\n%s\n%-8s%-22s", what, "depth", "bare, exceptions/s");
    for (size_t i = 1; i < configurations.size(); ++i) {
      std::printf("%-24s", configurations[i].name.c_str());
    }
    std::printf("\n");
    for (const auto& [depth, values] : measured) {
      const std::vector<double>& bare = values.at("bare");
      std::printf("%-8d%-22.0f", depth, Median(bare));
      for (size_t i = 1; i < configurations.size(); ++i) {
        std::vector<double> ratios = values.at(configurations[i].name);
        for (size_t round = 0; round < ratios.size(); ++round) ratios[round] /= bare[round];
        std::printf("%-24s", Summary(ratios, 2).c_str());
      }
      std::printf("\n");
    }
  };
  table("share of the bare throughput; wanted of the recorder: >= 0.90", throughput);
  table("the same in a second of the throwing thread's CPU time", by_cpu);
  std::printf("\non disk, bytes an exception (depths together):\n");
  for (const auto& [name, values] : bytes) {
    std::printf("%-18s%s\n", name.c_str(), Summary(values, 1).c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("hindsight-bench: what the recorder costs, side by side");
  app.require_subcommand(1);
  CLI::App* exceptions = app.add_subcommand("exceptions", "throw/catch at depth 10, 20 and 50");
  exceptions->add_option("--rounds", settings.rounds)->capture_default_str();
  exceptions->add_option("--milliseconds", settings.milliseconds, "of each measurement")
      ->capture_default_str();
  exceptions->add_option("--dotnet-trace", settings.dotnet_trace, "the tool to compare with");
  CLI::App* startup = app.add_subcommand("startup", "dotnet hello.dll, from start to exit");
  hindsight::bench::StartupSettings startup_settings;
  startup->add_option("--rounds", startup_settings.rounds)->capture_default_str();
  startup->add_flag("--each", startup_settings.each_source, "each default source alone, too");
  hindsight::bench::HeapSettings heap_settings;
  CLI::App* heap = app.add_subcommand("heap", "heap snapshots against a heap dump's session");
  heap->add_option("--rounds", heap_settings.rounds)->capture_default_str();
  heap->add_option("--millions", heap_settings.millions, "of objects, comma-separated")
      ->delimiter(',')
      ->capture_default_str();
  heap->add_option("--shape", heap_settings.shape, "regular or irregular")->capture_default_str();
  hindsight::bench::LockSettings lock_settings;
  CLI::App* locks = app.add_subcommand("locks", "waits for locks against an EventPipe session");
  locks->add_option("--rounds", lock_settings.rounds)->capture_default_str();
  locks->add_option("--milliseconds", lock_settings.milliseconds, "of each measurement")
      ->capture_default_str();
  hindsight::bench::CpuSettings cpu_settings;
  CLI::App* cpu = app.add_subcommand("cpu", "CPU sampling against dotnet-trace collect");
  cpu->add_option("--rounds", cpu_settings.rounds)->capture_default_str();
  cpu->add_option("--milliseconds", cpu_settings.milliseconds, "of each measurement")
      ->capture_default_str();
  cpu->add_option("--dotnet-trace", cpu_settings.dotnet_trace, "the tool to compare with");
  hindsight::bench::RequestSettings request_settings;
  CLI::App* requests = app.add_subcommand("requests", "a web server, bare and recorded");
  requests->add_option("--rounds", request_settings.rounds)->capture_default_str();
  requests->add_option("--milliseconds", request_settings.milliseconds, "of each measurement")
      ->capture_default_str();
  hindsight::bench::ServiceSettings service_settings;
  CLI::App* service = app.add_subcommand("service", "Kestrel, JSON and EF Core under steady load");
  service->add_option("--rounds", service_settings.rounds)->capture_default_str();
  service->add_option("--milliseconds", service_settings.milliseconds, "of each measurement")
      ->capture_default_str();
  service->add_option("--warm-up-ms", service_settings.warm_up_ms, "before the first round")
      ->capture_default_str();
  service->add_option("--rate", service_settings.rate, "requests a second")->capture_default_str();
  hindsight::bench::CompileSettings compile_settings;
  CLI::App* compile = app.add_subcommand("compile", "a C# compiler from cold");
  compile->add_option("--rounds", compile_settings.rounds)->capture_default_str();
  compile->add_option("--classes", compile_settings.classes)->capture_default_str();
  hindsight::bench::AllocationSettings allocation_settings;
  CLI::App* allocations = app.add_subcommand("allocations", "a thread that allocates");
  allocations->add_option("--rounds", allocation_settings.rounds)->capture_default_str();
  allocations->add_option("--milliseconds", allocation_settings.milliseconds, "of each measurement")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    if (service->parsed()) {
      hindsight::bench::MeasureService(service_settings);
      return 0;
    }
    if (compile->parsed()) {
      hindsight::bench::MeasureCompile(compile_settings);
      return 0;
    }
    if (allocations->parsed()) {
      hindsight::bench::MeasureAllocations(allocation_settings);
      return 0;
    }
    if (requests->parsed()) {
      hindsight::bench::MeasureRequests(request_settings);
      return 0;
    }
    if (cpu->parsed()) {
      hindsight::bench::MeasureCpu(cpu_settings);
      return 0;
    }
    if (locks->parsed()) {
      hindsight::bench::MeasureLocks(lock_settings);
      return 0;
    }
    if (heap->parsed()) {
      hindsight::bench::MeasureHeap(heap_settings);
      return 0;
    }
    if (startup->parsed()) {
      hindsight::bench::MeasureStartup(startup_settings);
      return 0;
    }
    return Exceptions(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hindsight-bench: %s\n", error.what());
    return 1;
  }
}
