#include "recorder/sources/cpu/left_out_threads.h"

#include <utility>

namespace hindsight::recorder {
namespace {

// A signal takes 1 to 3.5 KiB of a thread's stack for its registers (x64 without and with AVX-512),
// and up to 11 KiB with SVE or AMX. The runtime's handler needs more than that, and waits inside it
// while a collection runs. The smallest stacks have 16 KiB (PTHREAD_STACK_MIN), thread-local
// variables included: there, a second signal was seen to be one too many.
constexpr uintptr_t kSmallStack = 32 * 1024;

}  // namespace

bool LeftOutThreads::IsSmall(const StackBounds& stack) {
  return stack.known() && stack.high - stack.low < kSmallStack;
}

void LeftOutThreads::ForgetUnseen(uint64_t scan) {
  std::erase_if(threads_, [&](const auto& thread) { return thread.second.scan != scan; });
}

bool LeftOutThreads::Count(uint32_t os_id, uint64_t scan) {
  const uint64_t cpu_ns = CpuNsOfThread(os_id);
  LeftOutThread& thread = threads_[os_id];
  thread.scan = scan;
  const bool was_known = std::exchange(thread.is_known, true);
  if (was_known && cpu_ns > thread.cpu_ns) {  // otherwise another thread has its id
    cpu_ns_ += cpu_ns - thread.cpu_ns;
    counted_threads_ += thread.is_counted ? 0 : 1;
    thread.is_counted = true;
  }
  thread.cpu_ns = cpu_ns;
  return was_known;
}

void LeftOutThreads::AddAnnounced(uint32_t os_id, uint64_t scan) {
  LeftOutThread thread;
  thread.scan = scan;
  thread.is_announced = true;
  threads_[os_id] = thread;
}

void LeftOutThreads::AddSmall(uint32_t os_id, uint64_t scan) {
  LeftOutThread thread;
  thread.scan = scan;
  thread.cpu_ns = CpuNsOfThread(os_id);
  thread.has_small_stack = thread.is_known = true;
  threads_[os_id] = thread;
}

void LeftOutThreads::CountAll(uint64_t scan) {
  for (const auto& [os_id, thread] : threads_) {
    if (thread.is_known && CpuNsOfThread(os_id) > thread.cpu_ns) Count(os_id, scan);
  }
}

std::string LeftOutThreads::Note() const {
  const bool is_one = counted_threads_ == 1;
  return "Not sampled by the source cpu so far: " + std::to_string(cpu_ns_ / 1'000'000) +
         " ms of CPU time of " + std::to_string(counted_threads_) +
         (is_one ? " thread that blocks the sampling signal or has"
                 : " threads that block the sampling signal or have") +
         " a stack of less than " + std::to_string(kSmallStack / 1024) + " KiB.";
}

}  // namespace hindsight::recorder
