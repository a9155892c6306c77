// make_profile FOLDER [THREADS SECONDS METHODS SLOWER]: writes the recording of
// profile_recording.h, to look at exports by hand and to measure large ones.
// make_profile hour FOLDER [THREADS SECONDS METHODS]: that of a busy service; an hour, if not
// reported otherwise.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/consumers/profile_recording.h"

int main(int argc, char** argv) {
  hindsight::testing::ProfileSettings settings;
  if (argc > 1 && std::strcmp(argv[1], "hour") == 0) {
    settings.busy = true;
    settings.threads = 4;
    settings.seconds = 3600;
    settings.methods = 2000;
    --argc;
    ++argv;
  }
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_profile [hour] FOLDER [THREADS SECONDS METHODS SLOWER]\n");
    return EXIT_FAILURE;
  }
  uint32_t* const fields[] = {&settings.threads, &settings.seconds, &settings.methods,
                              &settings.slower_checkout};
  for (int i = 2; i < argc && i < 6; ++i) {
    *fields[i - 2] = static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10));
  }
  hindsight::testing::ProfileTruth truth;
  hindsight::testing::ProfileRecording(settings, truth).WriteFolder(argv[1]);
  std::printf("%llu samples\n", static_cast<unsigned long long>(truth.samples));
  return EXIT_SUCCESS;
}
