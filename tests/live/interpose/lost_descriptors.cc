// Preloaded into an application that closes descriptors which are not its own: when the file
// LOST_DESCRIPTORS/go appears, all that refer to a recording or its folder. In their place it opens
// files of its own, LOST_DESCRIPTORS/ledger-N, and then creates LOST_DESCRIPTORS/done.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::vector<int> OfTheRecorder() {
  std::vector<int> found;
  DIR* const open_files = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(open_files)) {
    char target[4096];
    const ssize_t size = readlinkat(dirfd(open_files), entry->d_name, target, sizeof target);
    if (size <= 0) continue;
    if (std::string(target, static_cast<size_t>(size)).find(".hindsight") != std::string::npos) {
      found.push_back(std::atoi(entry->d_name));
    }
  }
  closedir(open_files);
  return found;
}

void* Run(void* folder_text) {
  const std::string folder = static_cast<const char*>(folder_text);
  constexpr timespec kPause = {0, 10'000'000};
  while (access((folder + "/go").c_str(), F_OK) != 0) nanosleep(&kPause, nullptr);
  for (const int ours : OfTheRecorder()) {
    const std::string name = folder + "/ledger-" + std::to_string(ours);
    const int ledger = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (write(ledger, "precious", 8) != 8 || dup2(ledger, ours) != ours) std::abort();
    close(ledger);
  }
  close(open((folder + "/done").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  return nullptr;
}

__attribute__((constructor)) void Start() {
  static const char* const folder = std::getenv("LOST_DESCRIPTORS");
  pthread_t thread;
  if (folder != nullptr) pthread_create(&thread, nullptr, Run, const_cast<char*>(folder));
}

}  // namespace
