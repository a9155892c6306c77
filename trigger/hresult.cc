#include "trigger/hresult.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace hindsight::trigger {
namespace {

// Most of these are results of calls that only a profiler makes: in an attach, they can only come
// from the InitializeForAttach of a profiler that passes them on.
constexpr std::string_view kProfilerBug =
    "This is a bug in the profiler: please report it, with this name.";
constexpr std::string_view kRetry = "Try again in a moment.";
constexpr std::string_view kOtherRuntime =
    "Compare the runtime's version (hindsight-trigger list) with what the profiler supports.";

// Names and values: corerror.xml, winerror.h and ds-types.h of dotnet/runtime. The values are
// public interface. An exit code is the row's index: new rows go to the end.
constexpr HresultInfo kTable[] = {
    {0x80131368, "CORPROF_E_PROFILER_NOT_ATTACHABLE",
     "The profiler cannot be attached to a running process: it answered E_NOTIMPL, or lacks "
     "ICorProfilerCallback3.",
     "Start the process with the profiler instead: hindsight-trigger launch -- COMMAND.", false},
    {0x8013136a, "CORPROF_E_PROFILER_ALREADY_ACTIVE",
     "Another profiler is active in the process, or is being attached.",
     "A process can have only one profiler: stop the other one (often an APM agent, see "
     "CORECLR_PROFILER in its environment), or start the process without it.",
     false},
    {0x8013136b, "CORPROF_E_PROFILEE_INCOMPATIBLE_WITH_TRIGGER",
     "The runtime of the process does not support this way of attaching.", kOtherRuntime, false},
    {0x80070005, "E_ACCESSDENIED", "The process, or the profiler in it, was denied access.",
     "Check that the process's user may read and execute the profiler and write to the output "
     "folder, and check SELinux, AppArmor and noexec mounts.",
     false},
    {0x80070522, "ERROR_PRIVILEGE_NOT_HELD",
     "The process lacks a privilege that the profiler or the attach needs.",
     "Run the trigger as the process's user or as root.", false},
    {0x8013136c, "CORPROF_E_IPC_FAILED",
     "The runtime lost the connection while attaching; usually the process is exiting.",
     "Check that the process is still running (hindsight-trigger list), then try again.", true},
    {0x8007007e, "ERROR_MOD_NOT_FOUND",
     "The process cannot load the profiler: it is missing there, not a library, built for another "
     "architecture or C library, or one of its dependencies is missing.",
     "Run `ldd` on the library inside the process's container, and check SELinux and AppArmor "
     "rules.",
     false},
    {0x80070002, "ERROR_FILE_NOT_FOUND",
     "The process cannot find the profiler's library, or a file that it needs.",
     "Give the path as the process sees it: --profiler /path/in/its/container.", false},
    {0x8007007f, "ERROR_PROC_NOT_FOUND",
     "The file is a library but not a profiler: it lacks the entry point DllGetClassObject.",
     "Give the path of Hindsight's library with --profiler.", false},
    {0x800705b4, "ERROR_TIMEOUT", "The runtime could not attach the profiler in time.",
     "Try again with a longer --attach-timeout, for example if the process is under heavy load.",
     true},
    {0x80131379, "CORPROF_E_TIMEOUT_WAITING_FOR_CONCURRENT_GC",
     "A background garbage collection did not end in time, as the profiler requires.",
     "Try again with a longer --attach-timeout.", true},
    {0x80070057, "E_INVALIDARG",
     "The profiler or the runtime rejected an argument; Hindsight's recorder does so for invalid "
     "options.",
     "Use a trigger and a recorder of the same version; with --client-data, check the text.",
     false},
    {0x80004005, "E_FAIL", "The profiler or the runtime failed without giving a reason.",
     "Look at the process's stderr, and check its memory and the space in the output folder.",
     false},
    {0x80004001, "E_NOTIMPL", "The profiler does not support attaching.",
     "Record the process from its start instead: hindsight-trigger launch -- COMMAND.", false},
    {0x80131376, "CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE",
     "The profiler requested GC events that are incompatible with concurrent GC.",
     "Start the process with DOTNET_gcConcurrent=0, or record without that source.", false},
    {0x80131384, "DS_IPC_E_BAD_ENCODING", "The runtime could not decode the request.",
     "Please report this, with the versions of the trigger and the runtime.", false},
    {0x80131385, "DS_IPC_E_UNKNOWN_COMMAND",
     "The runtime does not know this request; NativeAOT applications and runtimes other than "
     "CoreCLR cannot be profiled.",
     "Use a CoreCLR build of the application.", false},
    {0x80131386, "DS_IPC_E_UNKNOWN_MAGIC",
     "The runtime speaks another version of the diagnostics protocol.", kOtherRuntime, false},
    {0x80131387, "DS_IPC_E_UNKNOWN_ERROR", "The runtime's diagnostics server failed.", kRetry,
     true},
    {0x80131515, "DS_IPC_E_NOTSUPPORTED",
     "The runtime was built without profiler support, or has it turned off.",
     "Check the environment of the process for DOTNET_EnableDiagnostics_Profiler=0.", false},
    {0x8013135b, "CORPROF_E_NOT_YET_AVAILABLE", "The runtime is still starting.", kRetry, true},
    {0x80131371, "CORPROF_E_RUNTIME_UNINITIALIZED", "The runtime is starting or shutting down.",
     "Try again in a moment; a process suspended at startup has to be resumed first.", true},
    {0x8007007a, "ERROR_INSUFFICIENT_BUFFER", "The request is too large for the runtime.",
     "Give a shorter path or shorter options.", false},
    {0x800000cb, "DS_IPC_E_ENVVAR_NOT_FOUND",
     "An environment variable that was asked for is not set.",
     "Please report this: the trigger does not ask for any.", false},
    {0x80131375, "CORPROF_E_PROFILER_CANCEL_ACTIVATION",
     "The profiler declined to record this process; Hindsight's recorder does so if the command "
     "line does not match the option `match`, or if it cannot start.",
     "Check the command line with hindsight-trigger list; the reason for a failed start is on the "
     "process's stderr.",
     false},
    {0x80131367, "CORPROF_E_PROFILER_DETACHING", "A profiler is currently leaving the process.",
     "Try again when it has left; see hindsight-trigger status.", true},
    {0x80131369, "CORPROF_E_UNRECOGNIZED_PIPE_MSG_FORMAT",
     "The runtime did not understand the attach request.", kOtherRuntime, false},
    {0x8013136d, "CORPROF_E_PROFILEE_PROCESS_NOT_FOUND", "The runtime could not find the process.",
     "Check that it is still running: hindsight-trigger list.", false},
    {0x8013136e, "CORPROF_E_CALLBACK3_REQUIRED",
     "The profiler lacks ICorProfilerCallback3, which attaching requires.",
     "Record the process from its start instead: hindsight-trigger launch -- COMMAND.", false},
    {0x8013136f, "CORPROF_E_UNSUPPORTED_FOR_ATTACHING_PROFILER",
     "The profiler requested events that are only available to a profiler loaded at startup.",
     "Record fewer sources (hindsight-trigger sources shows which an attach allows), or record "
     "from the process's start.",
     false},
    {0x80131370, "CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT",
     "The profiler has modified code of the process and cannot be detached.",
     "It stays until the process ends.", false},
    {0x80131372, "CORPROF_E_IMMUTABLE_FLAGS_SET",
     "The profiler has set flags that prevent a detach.", "It stays until the process ends.",
     false},
    {0x80131373, "CORPROF_E_PROFILER_NOT_YET_INITIALIZED",
     "The profiler used the runtime before it was initialized.", kProfilerBug, false},
    {0x80131374, "CORPROF_E_INCONSISTENT_WITH_FLAGS",
     "The profiler made a call that its event flags do not allow.", kProfilerBug, false},
    {0x80131378, "CORPROF_E_DEBUGGING_DISABLED",
     "The profiler needs the debugger's services, which are off.",
     "Start the process without DOTNET_EnableDiagnostics_Debugger=0.", false},
    {0x80131350, "CORPROF_E_FUNCTION_NOT_COMPILED",
     "The profiler asked about a method that is not compiled yet.", kProfilerBug, false},
    {0x80131351, "CORPROF_E_DATAINCOMPLETE",
     "The profiler asked about something that is still being loaded.", kRetry, true},
    {0x80131354, "CORPROF_E_FUNCTION_NOT_IL",
     "The profiler asked for the IL of a method that has none.", kProfilerBug, false},
    {0x80131355, "CORPROF_E_NOT_MANAGED_THREAD",
     "The profiler made a call on a thread that never ran managed code.", kProfilerBug, false},
    {0x80131356, "CORPROF_E_CALL_ONLY_FROM_INIT",
     "The profiler made a call that is only allowed during initialization.", kProfilerBug, false},
    {0x8013135c, "CORPROF_E_TYPE_IS_PARAMETERIZED",
     "The profiler needs a generic type's arguments and does not have them.", kProfilerBug, false},
    {0x8013135d, "CORPROF_E_FUNCTION_IS_PARAMETERIZED",
     "The profiler needs a generic method's arguments and does not have them.", kProfilerBug,
     false},
    {0x8013135e, "CORPROF_E_STACKSNAPSHOT_INVALID_TGT_THREAD",
     "The profiler asked for the stack of a thread that has none.", kProfilerBug, false},
    {0x8013135f, "CORPROF_E_STACKSNAPSHOT_UNMANAGED_CTX",
     "The profiler asked for a stack from a place in native code.", kProfilerBug, false},
    {0x80131360, "CORPROF_E_STACKSNAPSHOT_UNSAFE",
     "The profiler asked for a stack at an unsafe moment.", kRetry, true},
    {0x80131361, "CORPROF_E_STACKSNAPSHOT_ABORTED", "The profiler's stack walk was aborted.",
     kRetry, true},
    {0x80131362, "CORPROF_E_LITERALS_HAVE_NO_ADDRESS",
     "The profiler asked for the address of a constant.", kProfilerBug, false},
    {0x80131363, "CORPROF_E_UNSUPPORTED_CALL_SEQUENCE",
     "The profiler made a call that the runtime cannot serve at this moment.", kProfilerBug, false},
    {0x80131364, "CORPROF_E_ASYNCHRONOUS_UNSAFE",
     "The profiler made a call that is not safe at an arbitrary moment.", kProfilerBug, false},
    {0x80131365, "CORPROF_E_CLASSID_IS_ARRAY", "The profiler treated an array as a class.",
     kProfilerBug, false},
    {0x80131366, "CORPROF_E_CLASSID_IS_COMPOSITE",
     "The profiler treated a composite type as a class.", kProfilerBug, false},
    {0x8013137a, "CORPROF_E_MODULE_IS_DYNAMIC",
     "The profiler made a call that dynamic modules do not support.", kProfilerBug, false},
    {0x8013137b, "CORPROF_E_CALLBACK4_REQUIRED", "The profiler lacks ICorProfilerCallback4.",
     kProfilerBug, false},
    {0x8013137c, "CORPROF_E_REJIT_NOT_ENABLED",
     "The profiler wants to recompile methods but has not enabled it.", kProfilerBug, false},
    {0x8013137e, "CORPROF_E_FUNCTION_IS_COLLECTIBLE",
     "The profiler wants to change a method that may be unloaded.", kProfilerBug, false},
    {0x80131380, "CORPROF_E_CALLBACK6_REQUIRED", "The profiler lacks ICorProfilerCallback6.",
     kProfilerBug, false},
    {0x80131382, "CORPROF_E_CALLBACK7_REQUIRED", "The profiler lacks ICorProfilerCallback7.",
     kProfilerBug, false},
    {0x80131383, "CORPROF_E_REJIT_INLINING_DISABLED",
     "The profiler needs inlining information that is turned off.", kProfilerBug, false},
    {0x80131388, "CORPROF_E_SUSPENSION_IN_PROGRESS",
     "The runtime is already suspended by someone else.", kRetry, true},
    {0x80131389, "CORPROF_E_NOT_GC_OBJECT",
     "The profiler passed an object that the garbage collector does not know.", kProfilerBug,
     false},
    {0x8013138a, "CORPROF_E_MODULE_IS_ENC",
     "The profiler made a call that modules under Edit and Continue do not support.", kProfilerBug,
     false},
    {0x80131505, "COR_E_TIMEOUT", "An operation in the process timed out.", kRetry, true},
    {0x80004002, "E_NOINTERFACE", "The profiler lacks an interface that the runtime needs.",
     kOtherRuntime, false},
    {0x80004003, "E_POINTER", "The profiler, or the runtime, was given a null pointer.",
     kProfilerBug, false},
    {0x8007000e, "E_OUTOFMEMORY", "The process is out of memory.",
     "Give it more memory, or record with a smaller limit.memory.", false},
    {0x8000ffff, "E_UNEXPECTED", "The runtime was in an unexpected state.", kRetry, true},
    {0x80040111, "CLASS_E_CLASSNOTAVAILABLE",
     "The library is a profiler, but not the one with this GUID.",
     "Give the profiler's GUID with --profiler-guid (default: Hindsight's).", false},
    {0x80040154, "REGDB_E_CLASSNOTREG", "The runtime knows no profiler with this GUID.",
     "Give the profiler's path with --profiler.", false},
};

static_assert(static_cast<int>(TriggerExit::kFirstHresult) + std::size(kTable) <=
              static_cast<int>(TriggerExit::kDisplacedHresult));

}  // namespace

std::span<const HresultInfo> Hresults() { return kTable; }

const HresultInfo* FindHresult(uint32_t value) {
  const auto* found =
      std::find_if(std::begin(kTable), std::end(kTable),
                   [value](const HresultInfo& info) { return info.value == value; });
  return found == std::end(kTable) ? nullptr : found;
}

TriggerExit ExitCodeOf(const HresultInfo& info) {
  const auto code =
      static_cast<TriggerExit>(static_cast<int>(TriggerExit::kFirstHresult) + (&info - kTable));
  return code == TriggerExit::kUsage ? TriggerExit::kDisplacedHresult : code;
}

Failure ExplainHresult(uint32_t value, std::string_view asked) {
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", value);
  std::string what(asked);
  const HresultInfo* info = FindHresult(value);
  if (info == nullptr) {
    return {TriggerExit::kUnknownHresult,
            what + " was refused with " + number + ", an unknown HRESULT.",
            "Profilers may define their own: see the profiler's documentation."};
  }
  what += " failed. ";
  what += info->what;
  what += " (";
  what += info->name;
  what += ", ";
  what += number;
  what += ')';
  return {ExitCodeOf(*info), what, std::string(info->next)};
}

}  // namespace hindsight::trigger
