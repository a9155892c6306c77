#include "trigger/hresult.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace hindsight::trigger {
namespace {

// Most of the family answers calls that only a profiler makes: in an attach they can only come out
// of the InitializeForAttach of a profiler that passes them on.
constexpr std::string_view kProfilerBug =
    "That is an error in the profiler: report it to its author, with this name.";
constexpr std::string_view kRetry = "Try again in a moment.";
constexpr std::string_view kOtherRuntime =
    "Compare the runtime's version (hindsight-trigger list) with what the profiler supports.";

// Names and values: corerror.xml, winerror.h and ds-types.h of dotnet/runtime. The values are
// public interface. An exit code is the row's place: new rows go to the end.
constexpr HresultInfo kTable[] = {
    {0x80131368, "CORPROF_E_PROFILER_NOT_ATTACHABLE",
     "The profiler can't be attached to a running process; it answered E_NOTIMPL, or has no "
     "ICorProfilerCallback3.",
     "Start the process with the profiler instead: hindsight-trigger launch -- COMMAND.", false},
    {0x8013136a, "CORPROF_E_PROFILER_ALREADY_ACTIVE",
     "Another profiler is active in the process, or just being attached.",
     "A process has one profiler at a time: stop the other one (an APM agent, perhaps named by "
     "CORECLR_PROFILER in its environment), or start the process without it.",
     false},
    {0x8013136b, "CORPROF_E_PROFILEE_INCOMPATIBLE_WITH_TRIGGER",
     "The runtime of the process doesn't understand this way of attaching.", kOtherRuntime, false},
    {0x80070005, "E_ACCESSDENIED", "The process, or the profiler in it, was denied access.",
     "Check that the user of the process may read and execute the profiler, and write to the "
     "output "
     "folder; SELinux, AppArmor or noexec mounts deny too.",
     false},
    {0x80070522, "ERROR_PRIVILEGE_NOT_HELD",
     "The process lacks a privilege that the profiler or the attach needs.",
     "Run the trigger as the user of the process, or as root.", false},
    {0x8013136c, "CORPROF_E_IPC_FAILED",
     "The runtime lost the connection while it was attaching; most often the process is ending.",
     "Check whether the process still runs (hindsight-trigger list), then try again.", true},
    {0x8007007e, "ERROR_MOD_NOT_FOUND",
     "The process can't load the profiler's library: it is missing there, no library, built for "
     "another processor or C library, or lacks a library that it needs.",
     "Look at `ldd` of the library in the process's own container, and at its SELinux or AppArmor "
     "rules.",
     false},
    {0x80070002, "ERROR_FILE_NOT_FOUND",
     "The process can't find the profiler's library, or a file that the profiler needs.",
     "Give the path as the process sees it: --profiler /path/in/its/container.", false},
    {0x8007007f, "ERROR_PROC_NOT_FOUND",
     "The file is a library but no profiler: it lacks the entry point DllGetClassObject.",
     "Give the path of libhindsight.so with --profiler.", false},
    {0x800705b4, "ERROR_TIMEOUT", "The runtime could not attach the profiler in time.",
     "Try again with a longer --attach-timeout; a process under heavy load needs more.", true},
    {0x80131379, "CORPROF_E_TIMEOUT_WAITING_FOR_CONCURRENT_GC",
     "A background garbage collection didn't end in time, and the profiler needs it to.",
     "Try again with a longer --attach-timeout.", true},
    {0x80070057, "E_INVALIDARG",
     "The profiler, or the runtime, refused an argument; Hindsight's recorder answers so to "
     "options "
     "that it can't use.",
     "Use a trigger and a recorder of the same version; with --client-data, check its text.",
     false},
    {0x80004005, "E_FAIL", "The profiler, or the runtime, failed without saying why.",
     "Look at the standard error of the process; for a startup of the recorder, check its memory "
     "and "
     "the space in the output folder.",
     false},
    {0x80004001, "E_NOTIMPL", "The profiler doesn't implement an attach.",
     "Start the process with it instead: hindsight-trigger launch -- COMMAND.", false},
    {0x80131376, "CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE",
     "The profiler asked for garbage collection events that concurrent GC rules out.",
     "Start the process with DOTNET_gcConcurrent=0, or record without that source.", false},
    {0x80131384, "DS_IPC_E_BAD_ENCODING", "The runtime could not decode the request.",
     "Compare the versions of trigger and runtime; please report this with both.", false},
    {0x80131385, "DS_IPC_E_UNKNOWN_COMMAND",
     "The runtime doesn't know this request; NativeAOT applications and other runtimes than "
     "CoreCLR "
     "can't be profiled this way.",
     "Use a CoreCLR build of the application.", false},
    {0x80131386, "DS_IPC_E_UNKNOWN_MAGIC",
     "The runtime speaks another version of the diagnostics protocol.", kOtherRuntime, false},
    {0x80131387, "DS_IPC_E_UNKNOWN_ERROR", "The runtime's diagnostics server failed.", kRetry,
     true},
    {0x80131515, "DS_IPC_E_NOTSUPPORTED",
     "The runtime was built without profiler support, or has it turned off.",
     "Check the environment of the process for DOTNET_EnableDiagnostics_Profiler=0.", false},
    {0x8013135b, "CORPROF_E_NOT_YET_AVAILABLE", "The runtime is still starting.", kRetry, true},
    {0x80131371, "CORPROF_E_RUNTIME_UNINITIALIZED",
     "The runtime hasn't started completely, or is shutting down.",
     "Try again in a moment; a process suspended at start-up has to be resumed first.", true},
    {0x8007007a, "ERROR_INSUFFICIENT_BUFFER", "The request is too large for the runtime.",
     "Give a shorter path or shorter options.", false},
    {0x800000cb, "DS_IPC_E_ENVVAR_NOT_FOUND",
     "An environment variable that was asked for is not set.",
     "Please report this: the trigger asks for none.", false},
    {0x80131375, "CORPROF_E_PROFILER_CANCEL_ACTIVATION",
     "The profiler chose not to record this process; Hindsight's recorder does so when the command "
     "line doesn't fit the option `match`, and when it can't start.",
     "Look at the command line with hindsight-trigger list; why a recorder can't start stands on "
     "the "
     "standard error of the process.",
     false},
    {0x80131367, "CORPROF_E_PROFILER_DETACHING", "A profiler is just leaving the process.",
     "Try again when it has left; hindsight-trigger status says so.", true},
    {0x80131369, "CORPROF_E_UNRECOGNIZED_PIPE_MSG_FORMAT",
     "The runtime could not make sense of the attach request.", kOtherRuntime, false},
    {0x8013136d, "CORPROF_E_PROFILEE_PROCESS_NOT_FOUND", "The runtime could not find the process.",
     "Check whether it still runs: hindsight-trigger list.", false},
    {0x8013136e, "CORPROF_E_CALLBACK3_REQUIRED",
     "The profiler lacks ICorProfilerCallback3, which an attach needs.",
     "Start the process with it instead: hindsight-trigger launch -- COMMAND.", false},
    {0x8013136f, "CORPROF_E_UNSUPPORTED_FOR_ATTACHING_PROFILER",
     "The profiler asked for events that only a profiler loaded at start-up may have.",
     "Record fewer sources (hindsight-trigger sources says which an attach allows), or start the "
     "process with it.",
     false},
    {0x80131370, "CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT",
     "The profiler has changed code of the process and can't leave any more.",
     "It stays until the process ends.", false},
    {0x80131372, "CORPROF_E_IMMUTABLE_FLAGS_SET",
     "The profiler has set flags that keep it from leaving.", "It stays until the process ends.",
     false},
    {0x80131373, "CORPROF_E_PROFILER_NOT_YET_INITIALIZED",
     "The profiler used the runtime before it was initialised.", kProfilerBug, false},
    {0x80131374, "CORPROF_E_INCONSISTENT_WITH_FLAGS",
     "The profiler made a call that its event flags don't allow.", kProfilerBug, false},
    {0x80131378, "CORPROF_E_DEBUGGING_DISABLED",
     "The profiler needs the debugger's services, which are off.",
     "Start the process without DOTNET_EnableDiagnostics_Debugger=0.", false},
    {0x80131350, "CORPROF_E_FUNCTION_NOT_COMPILED",
     "The profiler asked about a method that isn't compiled yet.", kProfilerBug, false},
    {0x80131351, "CORPROF_E_DATAINCOMPLETE",
     "The profiler asked about something that is still being loaded.", kRetry, true},
    {0x80131354, "CORPROF_E_FUNCTION_NOT_IL",
     "The profiler asked for the IL of a method that has none.", kProfilerBug, false},
    {0x80131355, "CORPROF_E_NOT_MANAGED_THREAD",
     "The profiler made a call on a thread that never ran managed code.", kProfilerBug, false},
    {0x80131356, "CORPROF_E_CALL_ONLY_FROM_INIT",
     "The profiler made a call that is only allowed while it is initialised.", kProfilerBug, false},
    {0x8013135c, "CORPROF_E_TYPE_IS_PARAMETERIZED",
     "The profiler needs a generic type's arguments and hasn't got them.", kProfilerBug, false},
    {0x8013135d, "CORPROF_E_FUNCTION_IS_PARAMETERIZED",
     "The profiler needs a generic method's arguments and hasn't got them.", kProfilerBug, false},
    {0x8013135e, "CORPROF_E_STACKSNAPSHOT_INVALID_TGT_THREAD",
     "The profiler asked for the stack of a thread that has none to show.", kProfilerBug, false},
    {0x8013135f, "CORPROF_E_STACKSNAPSHOT_UNMANAGED_CTX",
     "The profiler asked for a stack from a place in native code.", kProfilerBug, false},
    {0x80131360, "CORPROF_E_STACKSNAPSHOT_UNSAFE",
     "The profiler asked for a stack at a moment when it isn't safe.", kRetry, true},
    {0x80131361, "CORPROF_E_STACKSNAPSHOT_ABORTED", "The profiler's stack walk was broken off.",
     kRetry, true},
    {0x80131362, "CORPROF_E_LITERALS_HAVE_NO_ADDRESS",
     "The profiler asked for the address of a constant.", kProfilerBug, false},
    {0x80131363, "CORPROF_E_UNSUPPORTED_CALL_SEQUENCE",
     "The profiler made a call at a moment when the runtime can't serve it.", kProfilerBug, false},
    {0x80131364, "CORPROF_E_ASYNCHRONOUS_UNSAFE",
     "The profiler made a call that isn't safe at an arbitrary moment.", kProfilerBug, false},
    {0x80131365, "CORPROF_E_CLASSID_IS_ARRAY", "The profiler took an array for a class.",
     kProfilerBug, false},
    {0x80131366, "CORPROF_E_CLASSID_IS_COMPOSITE",
     "The profiler took a composite type for a class.", kProfilerBug, false},
    {0x8013137a, "CORPROF_E_MODULE_IS_DYNAMIC",
     "The profiler made a call that dynamic modules don't support.", kProfilerBug, false},
    {0x8013137b, "CORPROF_E_CALLBACK4_REQUIRED", "The profiler lacks ICorProfilerCallback4.",
     kProfilerBug, false},
    {0x8013137c, "CORPROF_E_REJIT_NOT_ENABLED",
     "The profiler wants to recompile methods and hasn't enabled it.", kProfilerBug, false},
    {0x8013137e, "CORPROF_E_FUNCTION_IS_COLLECTIBLE",
     "The profiler wants to change a method that may be unloaded.", kProfilerBug, false},
    {0x80131380, "CORPROF_E_CALLBACK6_REQUIRED", "The profiler lacks ICorProfilerCallback6.",
     kProfilerBug, false},
    {0x80131382, "CORPROF_E_CALLBACK7_REQUIRED", "The profiler lacks ICorProfilerCallback7.",
     kProfilerBug, false},
    {0x80131383, "CORPROF_E_REJIT_INLINING_DISABLED",
     "The profiler needs inlining information that is turned off.", kProfilerBug, false},
    {0x80131388, "CORPROF_E_SUSPENSION_IN_PROGRESS",
     "The runtime was just suspended by somebody else.", kRetry, true},
    {0x80131389, "CORPROF_E_NOT_GC_OBJECT",
     "The profiler took something for an object that the garbage collector doesn't know.",
     kProfilerBug, false},
    {0x8013138a, "CORPROF_E_MODULE_IS_ENC",
     "The profiler made a call that modules under Edit and Continue don't support.", kProfilerBug,
     false},
    {0x80131505, "COR_E_TIMEOUT", "An operation in the process timed out.", kRetry, true},
    {0x80004002, "E_NOINTERFACE", "The profiler lacks an interface that the runtime needs.",
     kOtherRuntime, false},
    {0x80004003, "E_POINTER", "The profiler, or the runtime, was given a null pointer.",
     kProfilerBug, false},
    {0x8007000e, "E_OUTOFMEMORY", "The process is out of memory.",
     "Give it more memory, or record with a smaller limit.memory.", false},
    {0x8000ffff, "E_UNEXPECTED", "The runtime met a state that it didn't expect.", kRetry, true},
    {0x80040111, "CLASS_E_CLASSNOTAVAILABLE",
     "The library is a profiler, but not the one of this GUID.",
     "Give the profiler's own GUID with --profiler-guid; Hindsight's is the default.", false},
    {0x80040154, "REGDB_E_CLASSNOTREG", "The runtime knows no profiler of this GUID.",
     "Give the profiler's path with --profiler.", false},
};

static_assert(static_cast<int>(ExitCode::kFirstHresult) + std::size(kTable) <=
              static_cast<int>(ExitCode::kCannotRun));

}  // namespace

std::span<const HresultInfo> Hresults() { return kTable; }

const HresultInfo* FindHresult(uint32_t value) {
  const auto* found =
      std::find_if(std::begin(kTable), std::end(kTable),
                   [value](const HresultInfo& info) { return info.value == value; });
  return found == std::end(kTable) ? nullptr : found;
}

ExitCode ExitCodeOf(const HresultInfo& info) {
  return static_cast<ExitCode>(static_cast<int>(ExitCode::kFirstHresult) + (&info - kTable));
}

Failure ExplainHresult(uint32_t value, std::string_view asked) {
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", value);
  std::string what(asked);
  const HresultInfo* info = FindHresult(value);
  if (info == nullptr) {
    return {ExitCode::kUnknownHresult,
            what + " was refused with " + number + ", an HRESULT that is not in our table.",
            "A profiler may answer with one of its own: look it up in its documentation."};
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
