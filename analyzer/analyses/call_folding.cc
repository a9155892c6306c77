// CallPathsBuilder: the frame of each step of a call in a report, and its parent.
#include <utility>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/call_steps.h"
#include "analyzer/analyses/code_kinds.h"
#include "analyzer/analyses/logical_callers.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/path_tree.h"

namespace hindsight::analyzer {
namespace {

// How far up the path a repeated call is searched; otherwise damaged or absurd input would take
// quadratic time.
constexpr int kRecursionReach = 256;

constexpr uint32_t kUnknown = UINT32_MAX;  // a step whose node was not asked for yet
constexpr uint32_t kInProgress = UINT32_MAX - 1;

PathFrame Note(std::string name) {
  PathFrame frame;
  frame.name = std::move(name);
  frame.kind = PathFrame::Kind::kNote;
  return frame;
}

// The name of a folded frame that ran itself.
std::string_view FoldedName(CodeKind kind) {
  switch (kind) {
    case CodeKind::kThreadStart:
      return "(thread start)";
    case CodeKind::kStub:
      return "(native call)";
    default:
      return "(tasks and async)";
  }
}

}  // namespace

class CallPathsBuilder::Impl {
 public:
  Impl(const Dictionaries& dictionaries, const CallTree& calls, CallPathOptions options)
      : options_(std::move(options)),
        steps_(dictionaries, calls),
        kinds_(dictionaries),
        names_(dictionaries),
        tree_(paths_.nodes),
        nodes_(steps_.size(), kUnknown),
        amounts_(calls.size()) {
    nodes_[0] = 0;
    if (options_.logical_callers && !options_.plumbing) callers_.emplace(steps_, kinds_, names_);
  }

  FrameId Add(CallId call, const PathWeight& weight) {
    const uint32_t leaf = Leaf(call);
    if (call < amounts_.size()) amounts_[call] += weight.amount;
    if (options_.places) paths_.places.push_back(leaf);
    PathNode& node = paths_.nodes[leaf];
    node.self += weight;
    return node.frame;
  }

  CallPaths Build() {
    MarkInlined();
    SumUp(paths_);
    return std::move(paths_);
  }

 private:
  CodeKind KindOf(StepId step) { return kinds_.Of(steps_.method(step)); }
  bool IsLeftOut(CodeKind kind) const {
    return (IsNative(kind) && !options_.native) || (IsFolded(kind) && !options_.plumbing);
  }
  uint32_t Below(uint32_t caller, std::string_view note) {
    return Below(caller, paths_.frames.Add(Note(std::string(note))));
  }

  uint32_t Below(uint32_t caller, FrameId frame);
  uint32_t Leaf(CallId call);
  uint32_t NodeOf(StepId step);
  uint32_t Place(StepId step);
  StepId CallerOf(StepId step);
  bool IsUnattributed(StepId step);
  FrameId FrameOf(StepId step, CodeKind kind);
  void MarkInlined();
  PathFrame NativeLeaf(StepId step);

  const CallPathOptions options_;
  const CallSteps steps_;
  CodeKinds kinds_;
  const MethodNames names_;
  std::optional<LogicalCallers> callers_;
  CallPaths paths_;
  PathTree<PathNode> tree_;
  std::vector<uint32_t> nodes_;  // indexed by step
  std::vector<double> amounts_;  // indexed by call: of the frame itself
  std::vector<StepId> pending_;  // scratch space of NodeOf
};

uint32_t CallPathsBuilder::Impl::Below(uint32_t caller, FrameId frame) {
  std::vector<PathNode>& nodes = paths_.nodes;
  // Functions of a library without symbols look the same.
  const bool is_method = paths_.frames[frame].kind == PathFrame::Kind::kMethod;
  if (nodes[caller].frame == frame) {
    nodes[caller].recursive |= is_method;
    return caller;
  }
  uint32_t at = caller;
  for (int i = 0; i < kRecursionReach && at != 0; ++i, at = nodes[at].parent) {
    if (nodes[at].frame != frame || nodes[nodes[at].parent].frame != nodes[caller].frame) continue;
    nodes[at].recursive |= is_method;
    return at;
  }
  return tree_.Child(caller, frame);
}

uint32_t CallPathsBuilder::Impl::Leaf(CallId call) {
  if (call == 0) return Below(0, "(unknown location)");
  const CodeKind kind = KindOf(call);
  const uint32_t node = NodeOf(call);
  if (!IsLeftOut(kind)) return node;
  if (!IsNative(kind)) return Below(node, FoldedName(kind));
  return Below(node, paths_.frames.Add(NativeLeaf(call)));
}

// The step below which `step` is placed; each has one, so they form chains.
StepId CallPathsBuilder::Impl::CallerOf(StepId step) {
  if (callers_ && callers_->IsResumed(step)) {
    return callers_->StarterOf(steps_.method(step)).value_or(0);
  }
  return steps_.parent(step);
}

bool CallPathsBuilder::Impl::IsUnattributed(StepId step) {
  return callers_ && callers_->IsResumed(step) && !callers_->StarterOf(steps_.method(step));
}

uint32_t CallPathsBuilder::Impl::NodeOf(StepId step) {
  pending_.clear();
  for (StepId at = step; nodes_[at] == kUnknown; at = CallerOf(at)) {
    nodes_[at] = kInProgress;
    pending_.push_back(at);
  }
  while (!pending_.empty()) {
    const StepId at = pending_.back();
    pending_.pop_back();
    nodes_[at] = Place(at);
  }
  return nodes_[step];
}

// For a step whose caller already has a node.
uint32_t CallPathsBuilder::Impl::Place(StepId step) {
  const CodeKind kind = KindOf(step);
  uint32_t caller = nodes_[CallerOf(step)];
  // Async methods that start each other in a circle have no first one.
  if (caller == kInProgress || IsUnattributed(step)) {
    caller = Below(Below(0, "(thread pool)"), "(resumed)");
  }
  if (IsLeftOut(kind)) return caller;
  if (kind == CodeKind::kPool && !options_.plumbing) return Below(caller, "(thread pool)");
  const FrameId frame = FrameOf(step, kind);
  // The stub of an async method is the same method, though on another line.
  const PathFrame& above = paths_.frames[paths_.nodes[caller].frame];
  if (caller != 0 && names_.IsStateMachine(steps_.method(step)) &&
      above.name == paths_.frames[frame].name) {
    if (paths_.nodes[caller].frame == frame) return caller;
    caller = paths_.nodes[caller].parent;
  }
  return Below(caller, frame);
}

FrameId CallPathsBuilder::Impl::FrameOf(StepId step, CodeKind kind) {
  PathFrame frame;
  frame.method = steps_.method(step);
  frame.name = names_.Display(frame.method);
  if (IsNative(kind)) {
    frame.kind = PathFrame::Kind::kNative;
  } else if (options_.line_of) {
    frame.line = options_.line_of(frame.method, steps_.il_offset(step));
  }
  return paths_.frames.Add(std::move(frame));
}

// The runtime's code is named after the work that it did; other code after the function that
// managed code called or, on a thread without managed code, after the one that ran.
PathFrame CallPathsBuilder::Impl::NativeLeaf(StepId step) {
  const auto as = [](std::string name) {
    PathFrame frame;
    frame.name = std::move(name);
    frame.kind = PathFrame::Kind::kNative;
    return frame;
  };
  StepId entry = step;
  StepId at = step;
  for (; at != 0; at = steps_.parent(at)) {
    const CodeKind kind = KindOf(at);
    if (!IsNative(kind)) break;
    if (names_.Display(steps_.method(at)).starts_with(kRuntimeMark)) {
      return as(names_.Display(steps_.method(at)));
    }
    entry = at;
  }
  if (at == 0) entry = step;
  PathFrame frame = as(names_.Display(steps_.method(entry)));
  frame.method = steps_.method(entry);
  return frame;
}

// A method may have been inlined in one place and not in another, or only later: the larger amount
// decides.
void CallPathsBuilder::Impl::MarkInlined() {
  if (!steps_.has_inlining()) return;
  struct Amounts {
    double self = 0, hiding = 0, total = 0, inlined = 0;
  };
  std::vector<Amounts> of(paths_.frames.size());
  std::vector<double> totals = amounts_;
  for (size_t i = totals.size(); i-- > 1;) {
    const auto step = static_cast<StepId>(i);
    totals[steps_.parent(step)] += totals[i];
    if (nodes_[i] == kUnknown || IsLeftOut(KindOf(step))) continue;
    Amounts& amounts = of[paths_.nodes[nodes_[i]].frame];
    amounts.self += amounts_[i];
    amounts.total += totals[i];
    if (steps_.hides_inlined(step)) amounts.hiding += amounts_[i];
    if (steps_.inlined(step)) amounts.inlined += totals[i];
  }
  for (FrameId id = 1; id < of.size(); ++id) {
    PathFrame& frame = paths_.frames.at(id);
    if (frame.kind != PathFrame::Kind::kMethod) continue;
    frame.inlined = of[id].inlined > of[id].total / 2;
    frame.hides_inlined = of[id].hiding > of[id].self / 2;
  }
}

CallPathsBuilder::CallPathsBuilder(const Dictionaries& dictionaries, const CallTree& calls,
                                   CallPathOptions options)
    : impl_(std::make_unique<Impl>(dictionaries, calls, std::move(options))) {}

CallPathsBuilder::CallPathsBuilder(const Model& model, CallPathOptions options)
    : CallPathsBuilder(model.dictionaries, model.samples.calls, std::move(options)) {}

CallPathsBuilder::~CallPathsBuilder() = default;

FrameId CallPathsBuilder::Add(CallId call, const PathWeight& weight) {
  return impl_->Add(call, weight);
}

CallPaths CallPathsBuilder::Build() { return impl_->Build(); }

}  // namespace hindsight::analyzer
