#include "tests/live/harness/sample.h"

#include <stdexcept>

namespace hindsight::live {
namespace {

std::vector<std::string> Join(std::vector<std::string> command,
                              const std::vector<std::string>& arguments) {
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace

std::vector<std::string> Storm(int runtime, std::vector<std::string> arguments) {
  switch (runtime) {
    case 8:
      return Join({HINDSIGHT_STORM_8}, arguments);
    case 9:
      return Join({HINDSIGHT_STORM_9}, arguments);
    case 10:
      return Join({HINDSIGHT_DOTNET, HINDSIGHT_STORM_10}, arguments);
    default:
      throw std::invalid_argument("no sample for this runtime");
  }
}

std::vector<std::string> Steady(std::vector<std::string> arguments) {
  return Join({HINDSIGHT_DOTNET, HINDSIGHT_STEADY_10}, arguments);
}

std::vector<std::string> HeapSample(int runtime, const std::string& name,
                                    std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), name);
  switch (runtime) {
    case 8:
      return Join({HINDSIGHT_HEAP_8}, arguments);
    case 9:
      return Join({HINDSIGHT_HEAP_9}, arguments);
    case 10:
      return Join({HINDSIGHT_DOTNET, HINDSIGHT_HEAP_10}, arguments);
    default:
      throw std::invalid_argument("no sample for this runtime");
  }
}

std::vector<std::string> WaitSamples(int runtime) {
  switch (runtime) {
    case 8:
      return {HINDSIGHT_WAITS_8};
    case 9:
      return {HINDSIGHT_WAITS_9};
    case 10:
      return {HINDSIGHT_DOTNET, HINDSIGHT_WAITS_10};
    default:
      throw std::invalid_argument("no sample for this runtime");
  }
}

std::filesystem::path StormTruth() {
  return HINDSIGHT_SOURCE_DIR "/samples/ExceptionStorm/truth.json";
}

}  // namespace hindsight::live
