// The exit codes of hindsight-trigger. Scripts rely on them: a code never changes its meaning.
#pragma once

#include <span>
#include <string_view>

namespace hindsight::trigger {

enum class TriggerExit : int {
  kOk = 0,
  kInternal = 1,
  // 2 used to be the code of usage errors.
  kBadOptions = 3,
  kSeveralProcesses = 4,

  // Detected before the process is contacted.
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

  // Detected in communication.
  kConnectionFailed = 30,
  kSendTimeout = 31,
  kBadAnswer = 32,
  kUnknownHresult = 33,
  kNotRecorded = 34,
  kRecorderSilent = 35,
  kRecorderRefused = 36,
  kStillClosing = 37,
  kSnapshotIncomplete = 38,
  // Detected before; the codes above had run out.
  kLibraryDamaged = 39,

  // From here on: one for each HRESULT of the table in trigger/hresult.h.
  kFirstHresult = 40,

  // As in sysexits and `hindsight`. The HRESULT that would have this code has kDisplacedHresult.
  kUsage = 64,
  kDisplacedHresult = 125,
  // As in shells.
  kCannotRun = 126,
  kCommandNotFound = 127,
};

struct ExitCodeInfo {
  TriggerExit code;
  std::string_view meaning;
};

// All except those of the HRESULTs, in ascending order.
std::span<const ExitCodeInfo> ExitCodes();

}  // namespace hindsight::trigger
