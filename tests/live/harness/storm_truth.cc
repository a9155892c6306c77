// storm_truth RECORDING RUNTIME: compares a recording of one round of ExceptionStorm, made
// anywhere, with the sample's truth: types, messages, paths, catchers and counts. Prints the
// differences.
#include <cstdio>
#include <cstdlib>

#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/truth.h"

int main(int argc, char** argv) {
  using namespace hindsight::live;
  if (argc != 3) return 64;
  const Truth truth(StormTruth());
  const std::string differences =
      truth.Differences(Groups(argv[1]), {.runtime = std::atoi(argv[2])});
  std::fputs(differences.c_str(), stdout);
  return differences.empty() ? 0 : 1;
}
