#include "analyzer/base/parallel.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hindsight::analyzer {

unsigned WorkerCount() { return std::clamp(std::thread::hardware_concurrency(), 1u, 8u); }

void RunParallel(const std::function<void(unsigned)>& work) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto run = [&](unsigned worker) {
    try {
      work(worker);
    } catch (...) {  // passed on to the caller
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned worker = 1; worker < WorkerCount(); ++worker) threads.emplace_back(run, worker);
    run(0);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace hindsight::analyzer
