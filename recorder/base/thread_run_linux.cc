#include "recorder/base/thread_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <utility>

#include "recorder/base/clock.h"

namespace hindsight::recorder {
namespace {

// With a command name of 15 characters, the third field is well within.
constexpr size_t kTextBytes = 256;

int OpenOf(uint32_t os_id, std::string_view file) {
  constexpr std::string_view kFolder = "/proc/self/task/";
  char path[48] = {};
  char* end = std::copy(kFolder.begin(), kFolder.end(), path);
  end = std::to_chars(end, path + sizeof(path), os_id).ptr;
  std::copy(file.begin(), file.end(), end);
  return open(path, O_RDONLY | O_CLOEXEC);
}

size_t ReadOf(uint32_t os_id, std::string_view file, char (&text)[kTextBytes]) {
  const int fd = OpenOf(os_id, file);
  if (fd < 0) return 0;
  const ssize_t size = read(fd, text, sizeof(text));
  close(fd);
  return size > 0 ? static_cast<size_t>(size) : 0;
}

}  // namespace

uint64_t CpuNsOfThread(uint32_t os_id) {
  constexpr uint32_t kMaxOsId = 1u << 22;  // PID_MAX_LIMIT
  if (os_id == 0 || os_id > kMaxOsId) return 0;
  timespec now;
  if (clock_gettime(CpuClockOfThread(os_id), &now) != 0) return 0;
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

ThreadRun ReadThreadRun(uint32_t os_id) {
  char text[kTextBytes];
  ThreadRun run;
  run.state = ParseRunState({text, ReadOf(os_id, "/stat", text)});
  const std::string_view schedstat(text, ReadOf(os_id, "/schedstat", text));
  run.switches = ParseSwitches(schedstat);
  run.ready_ns = ParseReadyNs(schedstat);
  run.cpu_ns = CpuNsOfThread(os_id);
  return run;
}

bool RunSince::HasRun(uint32_t os_id, uint64_t ns) {
  const ThreadRun run = ReadThreadRun(os_id);
  // A thread that has ended has no clock; without a descriptor left, only the state is unknown.
  const bool is_unknown = run.state == RunState::kUnknown && run.cpu_ns != 0;
  if (run.state != RunState::kRunning && !is_unknown) return true;
  if (first_cpu_ns_ == 0) {
    first_cpu_ns_ = run.cpu_ns;
    return false;
  }
  return run.cpu_ns - first_cpu_ns_ >= ns;
}

uint64_t StackPointerOfThread(uint32_t os_id) {
  char text[kTextBytes];
  return ParseStackPointer({text, ReadOf(os_id, "/syscall", text)});
}

namespace {

std::string StatusOf(uint32_t os_id) {
  constexpr size_t kMaxBytes = 1u << 20;  // with 65,536 groups it has 700,000
  constexpr size_t kPiece = 4096;
  std::string status;
  const int fd = OpenOf(os_id, "/status");
  if (fd < 0) return status;
  ssize_t got = 0;
  do {
    const size_t size = status.size();
    status.resize(size + kPiece);
    got = read(fd, status.data() + size, kPiece);
    status.resize(size + static_cast<size_t>(got > 0 ? got : 0));
  } while (got > 0 && status.size() < kMaxBytes);
  close(fd);
  return status;
}

}  // namespace

SignalQueue ReadSignalQueue() {
  return ParseSignalQueue(StatusOf(static_cast<uint32_t>(gettid())));
}

uint64_t BlockedSignalsOfThread(uint32_t os_id) { return ParseBlockedSignals(StatusOf(os_id)); }

// While a thread sleeps in sigtimedwait, and until it is scheduled again, the signals that it waits
// for are removed from its mask (do_sigtimedwait in the kernel's signal.c). So a mask is valid if
// the thread sleeps elsewhere and has not been scheduled in between, or if it has run since the
// last call and has not gone to sleep since then.
Keeps WouldKeepSignal(uint32_t os_id, int signal, SignalLook& last) {
  constexpr int kAttempts = 3;
  constexpr timespec kPause = {0, 300'000};
  char text[kTextBytes];
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) nanosleep(&kPause, nullptr);
    const uint64_t switches = ParseSwitches({text, ReadOf(os_id, "/schedstat", text)});
    const bool has_run = last.cpu_ns != 0 && CpuNsOfThread(os_id) > last.cpu_ns;
    const std::string status = StatusOf(os_id);
    const uint64_t blocked = ParseBlockedSignals(status);
    if ((blocked & SignalBit(signal)) != 0) {
      if (IsAlone(signal, blocked)) return Keeps::kAlone;
      // Perhaps only while it handles a signal or starts a thread.
      if (attempt > 0) return Keeps::kYes;
      continue;
    }
    const uint64_t sleeps = ParseSleeps(status);
    const bool has_slept = sleeps != std::exchange(last.sleeps, sleeps);
    last.cpu_ns = CpuNsOfThread(os_id);
    const size_t size = ReadOf(os_id, "/syscall", text);
    if (size == 0) return Keeps::kNo;  // it has ended, or this process lacks the permission
    const std::string_view syscall(text, size);
    if (ParseIsInSigwait(syscall)) return Keeps::kYes;
    if (!syscall.starts_with("running")) {
      if (ParseSwitches({text, ReadOf(os_id, "/schedstat", text)}) == switches) return Keeps::kNo;
    } else if (has_run && !has_slept) {
      return Keeps::kNo;
    }
  }
  return Keeps::kUnknown;
}

bool IsAlone(int signal, uint64_t blocked) {
  const uint64_t real_time = ~uint64_t{0} << SIGRTMIN;  // the bits of those above
  return (blocked & real_time) == SignalBit(signal);
}

uint32_t CountThreadsNamed(std::string_view prefix) {
  uint32_t count = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  if (!tasks) return 0;
  while (const dirent* entry = readdir(tasks.get())) {
    const uint32_t os_id = static_cast<uint32_t>(strtoul(entry->d_name, nullptr, 10));
    if (os_id != 0 && KernelNameOfThread(os_id).starts_with(prefix)) ++count;
  }
  return count;
}

std::string KernelNameOfThread(uint32_t os_id) {
  char text[kTextBytes];
  const size_t size = ReadOf(os_id, "/comm", text);
  return size <= 1 ? std::string() : std::string(text, size - 1);  // without the newline
}

RunState ParseRunState(std::string_view stat) {
  // The name before it may contain anything, including closing parentheses.
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return RunState::kUnknown;
  switch (stat[name_end + 2]) {
    case 'R':
      return RunState::kRunning;
    case 'S':
    case 'I':
      return RunState::kSleeping;
    case 'D':
      return RunState::kBlocked;
    case 'T':
    case 't':
      return RunState::kStopped;
    default:
      return RunState::kUnknown;
  }
}

namespace {

uint64_t FieldOf(std::string_view schedstat, int wanted) {
  for (int field = 1; field < wanted; ++field) {
    const size_t blank = schedstat.find(' ');
    if (blank == std::string_view::npos) return 0;
    schedstat.remove_prefix(blank + 1);
  }
  uint64_t number = 0;
  std::from_chars(schedstat.data(), schedstat.data() + schedstat.size(), number);
  return number;
}

}  // namespace

uint64_t ParseSwitches(std::string_view schedstat) { return FieldOf(schedstat, 3); }

uint64_t ParseReadyNs(std::string_view schedstat) { return FieldOf(schedstat, 2); }

uint64_t ParseStackPointer(std::string_view syscall) {
  constexpr std::string_view kHex = "0x";
  const size_t last = syscall.rfind(kHex);
  if (last == std::string_view::npos || last == 0) return 0;
  const size_t place = syscall.rfind(kHex, last - 1);
  if (place == std::string_view::npos) return 0;
  uint64_t pointer = 0;
  std::from_chars(syscall.data() + place + kHex.size(), syscall.data() + last, pointer, 16);
  return pointer;
}

uint64_t ParseBlockedSignals(std::string_view status) {
  constexpr std::string_view kKey = "\nSigBlk:\t";  // a thread's name has no newline here
  const size_t key = status.find(kKey);
  if (key == std::string_view::npos) return 0;
  uint64_t blocked = 0;
  std::from_chars(status.data() + key + kKey.size(), status.data() + status.size(), blocked, 16);
  return blocked;
}

SignalQueue ParseSignalQueue(std::string_view status) {
  constexpr std::string_view kKey = "\nSigQ:\t";
  const size_t key = status.find(kKey);
  if (key == std::string_view::npos) return {};
  SignalQueue queue;
  const char* const end = status.data() + status.size();
  const auto used = std::from_chars(status.data() + key + kKey.size(), end, queue.used);
  if (used.ec != std::errc() || used.ptr == end || *used.ptr != '/') return {};
  if (std::from_chars(used.ptr + 1, end, queue.limit).ec != std::errc()) return {};
  return queue;
}

uint64_t ParseSleeps(std::string_view status) {
  constexpr std::string_view kKey = "\nvoluntary_ctxt_switches:\t";
  const size_t key = status.find(kKey);
  if (key == std::string_view::npos) return 0;
  uint64_t sleeps = 0;
  std::from_chars(status.data() + key + kKey.size(), status.data() + status.size(), sleeps);
  return sleeps;
}

bool ParseIsInSigwait(std::string_view syscall) {
  uint64_t number = 0;
  const auto parsed = std::from_chars(syscall.data(), syscall.data() + syscall.size(), number);
  return parsed.ec == std::errc() && number == SYS_rt_sigtimedwait;
}

}  // namespace hindsight::recorder
