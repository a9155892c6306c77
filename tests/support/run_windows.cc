#include <windows.h>

#include <psapi.h>

#include <filesystem>
#include <stdexcept>

#include "analyzer/cli/wide_text_windows.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

HANDLE Inheritable(const std::filesystem::path& file, DWORD access, DWORD how) {
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  return CreateFileW(file.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, how,
                     FILE_ATTRIBUTE_NORMAL, nullptr);
}

}  // namespace

RunResult RunProgram(const std::vector<std::string>& command, bool) {
  std::wstring line = cli::CommandLine(command);
  const TempDir dir;
  STARTUPINFOW start{};
  start.cb = sizeof(start);
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = Inheritable("NUL", GENERIC_READ, OPEN_EXISTING);
  start.hStdOutput = Inheritable(dir / "out", GENERIC_WRITE, CREATE_ALWAYS);
  start.hStdError = Inheritable(dir / "err", GENERIC_WRITE, CREATE_ALWAYS);
  PROCESS_INFORMATION process{};
  const bool is_started = CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr,
                                         nullptr, &start, &process) != 0;
  for (const HANDLE handle : {start.hStdInput, start.hStdOutput, start.hStdError}) {
    CloseHandle(handle);
  }
  if (!is_started) throw std::runtime_error("cannot start " + command[0]);
  WaitForSingleObject(process.hProcess, INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(process.hProcess, &code);
  PROCESS_MEMORY_COUNTERS memory{};
  GetProcessMemoryInfo(process.hProcess, &memory, sizeof(memory));
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  RunResult result;
  // A program that was ended by a system exception has the exception's number as its exit code.
  if (code < 0x80000000) result.exit_code = static_cast<int>(code);
  result.out = ReadFile(dir / "out");
  result.err = ReadFile(dir / "err");
  result.max_rss_kib = static_cast<long>(memory.PeakWorkingSetSize / 1024);
  return result;
}

}  // namespace hindsight::testing
