// Weighted call paths (CPU time, bytes) as people read them: a call tree, a list of methods, the
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
#include <vector>

#include "analyzer/analyses/path_frames.h"
#include "analyzer/model/model.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {

struct PathWeight {
  double amount = 0;    // nanoseconds of CPU time, or bytes: what shares are shares of
  double count = 0;     // of things: objects; samples where nothing else is counted
  double variance = 0;  // of `amount`, by the error of sampling
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
  double error = 0;  // 95 %: the truth is within value +- error, 19 times in 20
};
Share ShareOf(const PathWeight& part, const PathWeight& whole);

// Fewer samples than this say that something happens, not how often.
inline constexpr uint64_t kFewSamples = 5;

struct PathNode {
  uint32_t parent = 0;  // always smaller than the node's own index
  FrameId frame = 0;
  bool recursive = false;  // calls that had been on the path already are folded into it
  PathWeight self;         // the place itself
  PathWeight total;        // with what it called
};

// nodes[0] is the root; its total is all there is.
struct CallPaths {
  PathFrames frames;
  std::vector<PathNode> nodes{1};
  // With CallPathOptions::places: the node of each call that was added, in order.
  std::vector<uint32_t> places;
};

// Fills in the totals of nodes whose `self` is known, and takes out those without a sample.
void SumUp(CallPaths& paths);

// "Order.cs:12" of a place, empty where it is unknown.
using LineOf = std::function<std::string(MethodId method, int32_t il_offset)>;

struct CallPathOptions {
  // Frames of native code as they stand. Otherwise those on the way are left out, and at the end
  // one frame shows what kind of code it was.
  bool native = false;
  // Tasks, async methods' machinery and the pool likewise.
  bool plumbing = false;
  // Async methods that go on after an await under the method that started them.
  bool logical_callers = true;
  LineOf line_of;       // empty: methods are not taken apart
  bool places = false;  // fill CallPaths::places: 4 bytes for each call that is added
};

// Merges calls by the names of their methods. A call from one method to another stands on a path
// once: when it comes again, the path goes on where it came first. So recursion takes two nodes a
// method at most, and a method's total counts no sample twice.
//
// An async method that goes on after an await runs on the pool, without its callers on the stack.
// If all starts of it in the recording - in samples, or in stacks of exceptions and waits - were
// made by one method, its path goes on there; else it stands below "(resumed)".
//
// Memory: a node for each distinct path, and 20 bytes for each place and stack of the model.
class CallPathsBuilder {
 public:
  // What they refer to outlives this.
  CallPathsBuilder(const Dictionaries& dictionaries, const CallTree& calls,
                   CallPathOptions options);
  CallPathsBuilder(const Model& model, CallPathOptions options);
  ~CallPathsBuilder();
  CallPathsBuilder(const CallPathsBuilder&) = delete;
  CallPathsBuilder& operator=(const CallPathsBuilder&) = delete;

  // Returns the frame that ran; its id holds in the paths that Build gives.
  FrameId Add(CallId call, const PathWeight& weight);
  // Ends it.
  CallPaths Build();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

struct MethodWeight {
  FrameId frame = 0;
  PathWeight self;
  PathWeight total;  // of the paths that it is on, however often
};

// All frames, by `self` (total where that is equal), descending.
std::vector<MethodWeight> MethodsOf(const CallPaths& paths);

using FrameFilter = std::function<bool(const PathFrame& frame)>;

// The paths from the outermost frame that passes on: what those methods cost, and why.
CallPaths BelowFrames(const CallPaths& paths, const FrameFilter& filter);

// Children of each node, by total, descending.
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

// Bottom-up: below each frame its callers, below those theirs. With a filter: of those methods,
// weighed with all that they call, from the outermost on; without: of the places that ran. `self`
// is what has no further caller.
CallPaths Callers(const CallPaths& paths, const FrameFilter& filter = {});

}  // namespace hindsight::analyzer
