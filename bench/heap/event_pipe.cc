#include "bench/heap/event_pipe.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "bench/driver/event_pipe_session.h"

namespace hindsight::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Keywords of the provider Microsoft-Windows-DotNETRuntime: GC, Type, GCHeapCollect, GCHeapDump,
// and type names, like GCHeapSnapshot in TraceEvent.
constexpr uint64_t kHeapSnapshotKeywords = 0x1980001;
constexpr uint32_t kVerbose = 5;
constexpr uint32_t kBufferMegabytes = 1024;  // as requested by dotnet-gcdump

constexpr double kQuietSeconds = 0.5;
constexpr double kQuietProcessorShare = 0.15;  // a thread that wakes every millisecond runs on

[[noreturn]] void Fail(const std::string& what) {
  throw std::runtime_error("heap dump through EventPipe: " + what);
}

double ProcessorSeconds(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) Fail("the process is gone");
  unsigned long user = 0, system = 0;
  std::sscanf(text.c_str() + name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
              &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

void CopyUntilQuiet(pid_t process, EventPipeSession& copy) {
  Clock::time_point since = Clock::now();
  uint64_t bytes = copy.bytes();
  double processor = ProcessorSeconds(process);
  while (!copy.has_ended()) {
    copy.Step();
    const double quiet = Seconds(Clock::now() - since);
    if (copy.bytes() == bytes && quiet < kQuietSeconds) continue;
    const double used = ProcessorSeconds(process) - processor;
    if (copy.bytes() == bytes && used < kQuietProcessorShare * quiet) return;
    since = Clock::now();
    bytes = copy.bytes();
    processor += used;
  }
  Fail("the stream ended by itself");
}

}  // namespace

HeapDump DumpThroughEventPipe(pid_t process, const std::filesystem::path& file) {
  const Clock::time_point start = Clock::now();
  EventPipeSession session(process, {kHeapSnapshotKeywords, kVerbose, kBufferMegabytes}, file);
  CopyUntilQuiet(process, session);
  const double dump = Seconds(session.last() - start);

  const Clock::time_point stop = Clock::now();
  session.AskToStop();
  while (!session.has_ended()) session.Step();
  return {.seconds = dump + Seconds(Clock::now() - stop), .bytes = session.bytes()};
}

}  // namespace hindsight::bench
