#include "tests/fault/output_fault_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

namespace hindsight::recorder {

FaultChild::FaultChild(const std::string& output, const WriterArguments& arguments,
                       const std::map<std::string, std::string>& faults, bool traced) {
  // For sanitized builds: the injector comes before the sanitizers, and leaks cannot be checked
  // under ptrace.
  std::vector<std::string> environment = {"ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"};
  for (const auto& [name, value] : faults) environment.push_back(name + "=" + value);
  if (!faults.empty()) environment.push_back("LD_PRELOAD=" OUTPUT_FAULT_INJECTOR);
  std::vector<std::string> words = {OUTPUT_FAULT_WRITER, output, std::to_string(arguments.segments),
                                    std::to_string(arguments.bytes),
                                    std::to_string(arguments.disk_limit_bytes)};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (std::string& variable : environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  const std::string out = notes_ / "stdout";
  const std::string err = notes_ / "stderr";

  pid_ = fork();
  if (pid_ != 0) return;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND;
  dup2(open(out.c_str(), kFlags, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), kFlags, 0600), STDERR_FILENO);
  if (traced && ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(126);
  execve(argv[0], argv.data(), envp.data());
  _exit(127);
}

FaultRun FaultChild::Result(int status) const {
  FaultRun run;
  run.status = status;
  run.error_text = ReadFile(notes_ / "stderr");
  std::istringstream lines(ReadFile(notes_ / "stdout"));
  std::getline(lines, run.path);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    uint64_t sequence = 0;
    std::string fate;
    std::string mark;
    words >> sequence >> fate >> mark;
    (fate == "written" ? run.written : run.lost).push_back(sequence);
    if (mark == "new") run.started_anew.push_back(sequence);
  }
  return run;
}

FaultRun RunWriter(const std::string& output, const WriterArguments& arguments,
                   const std::map<std::string, std::string>& faults) {
  const FaultChild child(output, arguments, faults);
  int status = 0;
  EXPECT_EQ(waitpid(child.pid(), &status, 0), child.pid());
  return child.Result(status);
}

void CheckRecording(const FaultRun& run, const WriterArguments& arguments) {
  if (run.path.empty()) return;
  const ReadResult read = ReadRecording(run.path);
  EXPECT_EQ(read.faults, std::vector<std::string>());
  EXPECT_LE(SumOfSizes(run.path), arguments.disk_limit_bytes);

  std::vector<uint64_t> found;
  std::string previous_file;
  for (const ReadSegment& segment : read.segments) {
    const uint64_t sequence = segment.header.sequence;
    found.push_back(sequence);
    ASSERT_GE(segment.recording.packet_size(), 2);
    const bool is_first = segment.file != previous_file;
    previous_file = segment.file;
    EXPECT_EQ(segment.recording.packet_size(), is_first ? 3 : 2)
        << "dictionaries start anew exactly where a file starts";
    Recording own;
    *own.add_packet() = segment.recording.packet(segment.recording.packet_size() - 1);
    EXPECT_EQ(own.SerializeAsString(),
              TestPacket(static_cast<uint32_t>(sequence), arguments.bytes));
  }

  std::vector<uint64_t> expected = run.written;
  const uint64_t said = run.written.size() + run.lost.size();
  if (!found.empty() && found.back() == said) expected.push_back(said);
  if (!found.empty()) {  // what came before the first remaining one was rotated away
    expected.erase(expected.begin(), std::lower_bound(expected.begin(), expected.end(), found[0]));
    if (found[0] != 0) {
      EXPECT_GT(SumOfSizes(run.path) + (2u << 20), arguments.disk_limit_bytes)
          << "deleted more than the limit asked for";
    }
  }
  EXPECT_EQ(found, expected);
}

}  // namespace hindsight::recorder
