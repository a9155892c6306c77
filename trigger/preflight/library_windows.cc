#include <windows.h>

#include <filesystem>
#include <system_error>

#include "analyzer/cli/paths.h"
#include "recorder/contract/paths.h"
#include "trigger/preflight/preflight.h"
#include "trigger/target/handle_windows.h"
#include "trigger/target/pe_windows.h"

namespace hindsight::trigger {
namespace {

namespace fs = std::filesystem;

constexpr char kLibraryName[] = "hindsight.dll";

// 0: unknown.
uint16_t MachineOf(const Process& process) {
  const UniqueHandle handle =
      Owned(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process.pid)));
  USHORT emulated = 0, native = 0;
  if (!handle || !IsWow64Process2(handle.get(), &emulated, &native)) return 0;
  return emulated != IMAGE_FILE_MACHINE_UNKNOWN ? emulated : native;
}

}  // namespace

Check CheckLibrary(const Process& process, const std::string& path) {
  if (!contract::IsAbsolutePath(path)) {
    return Failure{
        TriggerExit::kLibraryPath,
        "The path " + path + " is relative, and the process has a different working directory.",
        "Give an absolute path with --profiler."};
  }
  std::error_code status_error;
  const fs::file_status status = fs::status(cli::PathOf(path), status_error);
  if (status.type() == fs::file_type::not_found) {
    return Failure{TriggerExit::kLibraryMissing, "There is no " + path + '.',
                   "Give the path of hindsight.dll with --profiler, or put it next to "
                   "hindsight-trigger.exe."};
  }
  if (fs::is_directory(status)) {
    return Failure{TriggerExit::kLibraryNotALibrary, path + " is a folder, not a library.",
                   "Give the path of hindsight.dll itself with --profiler."};
  }
  unsigned long error = 0;
  const std::optional<PeFacts> library = ReadPe(path, error);
  if (error != 0) {
    return Failure{TriggerExit::kLibraryUnreadable,
                   path + " cannot be read: " + ErrorText(error) + '.',
                   "Let the process's user read it: icacls FILE /grant USER:RX."};
  }
  if (!library || !library->is_library) {
    return Failure{TriggerExit::kLibraryNotALibrary, path + " is not a library.",
                   "Give the path of hindsight.dll with --profiler."};
  }
  if (library->file_bytes < library->needed_bytes) {
    return Failure{TriggerExit::kLibraryDamaged,
                   path + " is incomplete: it has " + std::to_string(library->file_bytes) + " of " +
                       std::to_string(library->needed_bytes) + " bytes.",
                   "Copy it again, completely."};
  }
  const uint16_t machine = MachineOf(process);
  if (machine != 0 && machine != library->machine) {
    return Failure{TriggerExit::kArchitecture,
                   path + " is built for " + PeMachineName(library->machine) + ", and process " +
                       std::to_string(process.pid) + " runs as " + PeMachineName(machine) + '.',
                   "Use the build of Hindsight for that architecture."};
  }
  return std::nullopt;
}

// Windows prevents writes to the file of a mapped library.
Check CheckMapped(const Process&, const std::string&) { return std::nullopt; }

Expected<std::string> FindLibrary() {
  wchar_t text[32768];
  GetModuleFileNameW(nullptr, text, 32768);
  const fs::path folder = fs::path(text).parent_path();
  const fs::path beside = folder / kLibraryName;
  const fs::path in_lib = folder.parent_path() / "lib" / kLibraryName;
  std::error_code error;
  for (const fs::path& path : {beside, in_lib}) {
    if (fs::exists(path, error)) return path.string();
  }
  return Failure{TriggerExit::kLibraryMissing,
                 std::string(kLibraryName) + " is neither in " + folder.string() + " nor in " +
                     in_lib.parent_path().string() + ".",
                 "Give its path with --profiler."};
}

}  // namespace hindsight::trigger
