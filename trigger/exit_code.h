// The exit codes of hindsight-trigger. Scripts rely on them: a number never changes its meaning.
#pragma once

#include <span>
#include <string_view>

namespace hindsight::trigger {

enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,
  // 2 was that of usage errors.
  kBadOptions = 3,
  kSeveralProcesses = 4,

  // Found before anything was asked of the process.
  kNoSuchProcess = 10,
  kNotDotnet = 11,
  kOtherUser = 12,
  kStopped = 13,
  kZombie = 14,
  kProcessHidden = 15,
  kDiagnosticsOff = 16,
  kNoDiagnosticSocket = 17,
  kForeignSocket = 18,
  kArchitecture = 19,
  kLibc = 20,
  kLibraryMissing = 21,
  kLibraryNotALibrary = 22,
  kLibraryUnreadable = 23,
  kLibraryUnsafe = 24,
  kLibraryPath = 25,
  kRequestTooLarge = 26,
  kAlreadyRecorded = 27,
  kDetaching = 28,
  kProfilerInEnvironment = 29,

  // Found while talking.
  kConnectionFailed = 30,
  kSendTimeout = 31,
  kBadAnswer = 32,
  kUnknownHresult = 33,
  kNotRecorded = 34,
  kRecorderSilent = 35,
  kRecorderRefused = 36,
  kStillClosing = 37,
  kSnapshotIncomplete = 38,
  // Found before; the numbers above had run out.
  kLibraryDamaged = 39,

  // From here on: one for each HRESULT of the table in trigger/hresult.h.
  kFirstHresult = 40,

  // As sysexits and `hindsight` have it. The HRESULT in its place has kDisplacedHresult.
  kUsage = 64,
  kDisplacedHresult = 125,
  // As shells have it.
  kCannotRun = 126,
  kCommandNotFound = 127,
};

struct ExitCodeInfo {
  ExitCode code;
  std::string_view meaning;
};

// All but those of the HRESULTs, in ascending order.
std::span<const ExitCodeInfo> ExitCodes();

}  // namespace hindsight::trigger
