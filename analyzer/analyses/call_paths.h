// Weighted call paths (CPU time, bytes) in readable form: a call tree, a list of methods, the
// callers of one method.
//
//   CallPathsBuilder builder(model, {});
//   for (const CpuSample& sample : ...) builder.Add(sample.call, {...});
//   const CallPaths paths = builder.Build();
//   for (const MethodWeight& method : MethodsOf(paths)) ...
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/analyses/path_frames.h"
#include "analyzer/model/model.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {

struct PathWeight {
  double amount = 0;    // nanoseconds of CPU time, or bytes: the basis of shares
  double count = 0;     // objects; samples if nothing else is counted
  double variance = 0;  // of `amount`, from the sampling error
  uint64_t samples = 0;

  PathWeight& operator+=(const PathWeight& other) {
    amount += other.amount;
    count += other.count;
    variance += other.variance;
    samples += other.samples;
    return *this;
  }
};

// A share of a whole, from samples of it.
struct Share {
  double value = 0;
  double error = 0;  // 95 %: the true value is within value +- error 19 times in 20
};
Share ShareOf(const PathWeight& part, const PathWeight& whole);

// Fewer samples than this say that something happens, not how often.
inline constexpr uint64_t kFewSamples = 5;

struct PathNode {
  uint32_t parent = 0;  // always smaller than the node's own index
  FrameId frame = 0;
  bool recursive = false;  // repeated calls on the path are folded into it
  PathWeight self;         // the frame itself
  PathWeight total;        // including what it called
};

// nodes[0] is the root; its total is everything.
struct CallPaths {
  PathFrames frames;
  std::vector<PathNode> nodes{1};
  // With CallPathOptions::places: the node of each call that was added, in order.
  std::vector<uint32_t> places;
};

// Computes the totals from `self`, and removes nodes without samples.
void SumUp(CallPaths& paths);

// "Order.cs:12" for a location; empty if unknown.
using LineOf = std::function<std::string(MethodId method, int32_t il_offset)>;

struct CallPathOptions {
  // Keep frames of native code. Otherwise, those in the middle of a path are left out, and those at
  // its end become one frame that shows the kind of code.
  bool native = false;
  // Likewise for tasks, the machinery of async methods, and the pool.
  bool plumbing = false;
  // Put async methods that resume after an await below the method that started them.
  bool logical_callers = true;
  LineOf line_of;       // empty: methods are not divided into lines
  bool places = false;  // fill CallPaths::places: 4 bytes per added call
};

// Merges calls by the names of their methods. A call from one method to another appears only once
// on a path: when it is repeated, the path continues where it appeared first. So recursion takes at
// most two nodes per method, and a method's total counts no sample twice.
//
// An async method that resumes after an await runs on the pool, without its callers on the stack.
// If all its starts in the recording - in samples, or in stacks of exceptions and waits - were made
// by one method, its path continues there; otherwise it is placed below "(resumed)".
//
// Memory: one node per distinct path, and 20 bytes per location and stack of the model.
class CallPathsBuilder {
 public:
  // All referenced objects must outlive this.
  CallPathsBuilder(const Dictionaries& dictionaries, const CallTree& calls,
                   CallPathOptions options);
  CallPathsBuilder(const Model& model, CallPathOptions options);
  ~CallPathsBuilder();
  CallPathsBuilder(const CallPathsBuilder&) = delete;
  CallPathsBuilder& operator=(const CallPathsBuilder&) = delete;

  // Returns the frame that ran; its id is valid in the result of Build.
  FrameId Add(CallId call, const PathWeight& weight);
  // Completes the paths; no calls may follow.
  CallPaths Build();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

struct MethodWeight {
  FrameId frame = 0;
  PathWeight self;
  PathWeight total;  // of the paths that contain it, however often they do
};

// All frames, ordered by `self`, then by total, descending.
std::vector<MethodWeight> MethodsOf(const CallPaths& paths);

using WeightByFrame = std::unordered_map<FrameId, PathWeight>;
// The entry with the largest amount; frame 0 if there is none.
std::pair<FrameId, PathWeight> Heaviest(const WeightByFrame& weights);

using FrameFilter = std::function<bool(const PathFrame& frame)>;

// The paths from the outermost frame that matches: what those methods cost, and why.
CallPaths BelowFrames(const CallPaths& paths, const FrameFilter& filter);

// The children of each node, ordered by total, descending.
class PathChildren {
 public:
  explicit PathChildren(const CallPaths& paths);
  std::span<const uint32_t> Of(uint32_t node) const {
    return std::span(children_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<uint32_t> children_;
};

// Bottom-up: below each frame its callers, and so on. With a filter, for the matching methods (the
// outermost on each path), weighted with everything that they call; without, for the frames that
// ran. `self` is the part without further callers.
CallPaths Callers(const CallPaths& paths, const FrameFilter& filter = {});

}  // namespace hindsight::analyzer
