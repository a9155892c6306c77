// Amounts by call path (CPU time, allocations, exceptions, lock waits or wall-clock time), from
// which all exports are written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct ExceptionReport;
struct LockReport;
struct WallReport;

enum class ProfileSignal : uint8_t { kCpu, kAllocations, kExceptions, kLocks, kWall };
enum class ProfileUnit : uint8_t { kCount, kNanoseconds, kBytes };
std::string_view UnitName(ProfileUnit unit);  // "count", "nanoseconds", "bytes"

struct ProfileMeasure {
  std::string_view name;  // "cpu", "samples"
  ProfileUnit unit = ProfileUnit::kCount;
};

struct ProfileFrame {
  std::string name;        // for display
  std::string raw_name;    // as in the metadata, or the symbol; may be empty
  MethodId method = 0;     // 0: not a method, or unknown
  int32_t il_offset = -1;  // see StackProfileQuery::call_sites
  FrameKind kind = FrameKind::kUnknown;
};

struct ProfileNode {
  uint32_t parent = 0;  // always smaller than the node's own number
  uint32_t frame = 0;
};

struct ProfileRow {
  int64_t at_ns = 0;                 // of its first sample; 0 if the signal has no times
  ThreadIndex thread = 0;            // 0 if the signal has no threads
  uint32_t node = 0;                 // innermost
  TypeId type = 0;                   // of what was allocated or thrown
  std::array<uint64_t, 2> values{};  // parallel to StackProfile::measures
};

struct StackProfile {
  ProfileSignal signal = ProfileSignal::kCpu;
  std::vector<ProfileMeasure> measures;  // one or two; the first is the main one
  std::vector<ProfileFrame> frames{1};   // [0] belongs to no node
  std::vector<ProfileNode> nodes{1};     // [0] is the root of all threads
  std::vector<ProfileRow> rows;
  std::array<uint64_t, 2> totals{};  // of the rows
  uint64_t period = 0;  // of the main measure, between two samples; 0: contains every event
  int64_t from_ns = 0, to_ns = 0;  // the examined time range

  // Frames ordered from the innermost outwards.
  std::vector<uint32_t> PathOf(uint32_t node) const;
};

// For kWall: CPU time, and the time that threads waited without being idle (waits/wall_time.h).
struct StackProfileQuery {
  ProfileSignal signal = ProfileSignal::kCpu;
  std::string thread = {};  // see MatchesThread. For exceptions, the model must have been built
                            // with the same restrictions; lock waits ignore them
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  // Frames are calls, distinguished by their location in the method; otherwise methods.
  bool call_sites = false;
  // The type that was allocated or thrown is the innermost frame of its path.
  bool type_frames = false;
  // Rows are ordered by time, and only neighbors with the same path are merged; otherwise,
  // everything of a thread with the same path and type is one row.
  bool in_time_order = false;
  // Results of analyses of the same time range and thread, if the caller has them. Null: the
  // analysis is run.
  const ExceptionReport* exceptions = nullptr;
  const LockReport* locks = nullptr;
  const WallReport* wall = nullptr;
};

// Samples without their outermost frames are placed below a special frame that says so. Amounts are
// whole numbers, rounded so that they add up to the rounded total.
StackProfile BuildStackProfile(const Model& model, const StackProfileQuery& query);

// "worker (1234)", "thread 1234".
std::string ThreadTitle(const Model& model, ThreadIndex thread);

}  // namespace hindsight::analyzer
