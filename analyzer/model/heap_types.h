// The parts of a heap snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

using ObjectId = uint32_t;
inline constexpr ObjectId kNoObject = UINT32_MAX;
inline constexpr uint64_t kMaxHeapObjects = UINT32_MAX - 1;
using ClassIndex = uint32_t;  // into HeapGraph::classes(); 0 is "unknown class"

enum class Generation : uint8_t { kGen0, kGen1, kGen2, kLarge, kPinned, kFrozen, kUnknown };

enum class RootKind : uint8_t {
  kOther,
  kStack,
  kFinalizerQueue,
  kStrongHandle,
  kPinnedHandle,
  kWeakHandle,  // keeps nothing alive
  kRefcountedHandle,
  kPinnedStack,
};

struct ValueField {
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat, kBool, kChar, kText };
  StringId name = 0;
  Kind kind = Kind::kSigned;
};

struct HeapClass {
  enum class Kind : uint8_t { kClass, kBoxed, kArray, kString };
  TypeId type = 0;
  ClassIndex base = 0;
  uint32_t base_bytes = 0;       // header included
  uint32_t component_bytes = 0;  // of an element; 0: objects have no length
  Kind kind = Kind::kClass;
  bool finalizable = false;
  bool collectible = false;
  std::vector<uint32_t> slot_offsets;  // for arrays: of one element
  std::vector<StringId> slot_names;    // parallel to slot_offsets
  std::vector<ValueField> value_fields;
};

struct HeapRoot {
  ObjectId object = kNoObject;
  RootKind kind = RootKind::kOther;
  MethodId method = 0;  // whose frame holds it; 0: unknown, or not on a stack
};

// Slot `slot` of `holder` (counted as by HeapGraph::SlotOfReference) is a static field.
struct HeapStaticField {
  TypeId type = 0;
  StringId field = 0;
  ObjectId holder = kNoObject;
  uint64_t slot = 0;
  uint32_t thread_os_id = 0;  // of a thread static; 0: of the process
};

struct HeapDependent {  // `value` lives as long as `key`
  ObjectId key = kNoObject;
  ObjectId value = kNoObject;
};

// A monitor (lock, Monitor.Enter) that is held or waited for.
struct HeapMonitor {
  ObjectId object = kNoObject;
  uint32_t owner_os_id = 0;       // 0: none, or only owner_managed_id is known
  uint32_t owner_managed_id = 0;  // Thread.ManagedThreadId; 0: none, or unknown
  uint32_t recursion = 0;
  bool waited_for = false;
};

// An object whose address is in a thread's stack; the word may be left over from a call that has
// returned.
struct HeapStackObject {
  ObjectId object = kNoObject;
  uint32_t offset = 0;  // bytes from the stack pointer
  // The managed frame that this part of the stack belongs to, as an index into the thread's stack;
  // 0 is the innermost.
  static constexpr uint32_t kRuntime = UINT32_MAX;  // above every managed frame
  uint32_t frame = kRuntime;
};

enum class ThreadRunState : uint8_t { kUnknown, kRunning, kSleeping, kBlocked, kStopped };

// A thread when the graph was taken.
struct HeapThread {
  uint32_t os_id = 0;
  StringId name = 0;
  uint64_t clr_thread = 0;  // Thread._DONT_USE_InternalThread of its object
  uint32_t managed_id = 0;  // 0: unknown
  StackId stack = 0;
  uint64_t cpu_ns = 0;
  ThreadRunState state = ThreadRunState::kUnknown;
  // Innermost first. Empty: it ran between the walk of its stack and the copy of the heap, so
  // `stack` and the heap do not show the same moment.
  std::vector<HeapStackObject> objects;
  ObjectId waiting_monitor = kNoObject;  // it waits to enter this one, or in Monitor.Wait
};

struct HeapRange {
  uint64_t start = 0, used_bytes = 0, reserved_bytes = 0;
  Generation generation = Generation::kUnknown;
};

// What the recording says about a snapshot as a whole; times in nanoseconds, 0: unknown.
struct HeapFacts {
  enum class Trigger : uint8_t { kUnknown, kRequested, kPeriodic, kGrowth };
  enum class Method : uint8_t { kUnknown, kFork, kForkPassive, kInPause, kCallbacks };
  enum class RootsMethod : uint8_t { kUnknown, kDocumented, kCalibrated };
  enum class Result : uint8_t {
    kNoCertificate,  // the file breaks off
    kComplete,
    kStoppedByTime,
    kStoppedByMemory,
    kStoppedByDisk,
    kChildDied,
    kCheckFailed,
    kStoppedByRequest,
  };
  uint32_t number = 0;
  uint64_t unix_ns = 0;  // the moment that the graph shows
  Trigger trigger = Trigger::kUnknown;
  Method method = Method::kUnknown;
  RootsMethod roots_method = RootsMethod::kUnknown;
  std::string fallback_reason;
  bool server_gc = false;
  bool concurrent_gc = false;
  uint32_t heap_count = 0;
  uint64_t resident_bytes = 0;
  std::vector<std::string> value_rules;

  Result result = Result::kNoCertificate;
  std::string result_reason;
  uint64_t certified_objects = 0, certified_bytes = 0, certified_slots = 0, certified_roots = 0;
  uint64_t free_bytes = 0, gc_bytes = 0, dangling_slots = 0;
  uint64_t suspend_ns = 0, collect_ns = 0, roots_ns = 0, fork_ns = 0, pause_ns = 0;
  // With the pauses that prepared it; 0: not known.
  uint64_t pauses = 0, all_pauses_ns = 0;
  uint64_t child_wall_ns = 0, child_cpu_ns = 0, child_private_bytes = 0, written_bytes = 0;

  // Threads and locks in the snapshot; see HeapGraph.
  uint64_t threads = 0, monitors = 0;
  std::string monitors_unknown_because;

  // What is missing: segments that are damaged or missing, references to objects that are not here.
  uint64_t lost_segments = 0;
  uint64_t dangling_references = 0;
  bool complete() const { return result == Result::kComplete && lost_segments == 0; }
};

}  // namespace hindsight::analyzer
