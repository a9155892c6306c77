#include "analyzer/analyses/comparison/moves.h"

#include <unordered_set>
#include <utility>
#include <vector>

namespace hindsight::analyzer {
namespace {

// The share of a change that is left after adding what changed around it.
double LeftOf(const Change& change, const ChangeTest& around) {
  const double own = change.test.after - change.test.before;
  return (own + around.after - around.before) / own;
}

class Around {
 public:
  Around(const SignalChanges& signal, const Change& change,
         std::function<bool(uint32_t)> is_reported)
      : signal_(signal),
        row_(*change.row),
        own_(change.cells.begin(), change.cells.end()),
        is_left_out_([this, is_reported = std::move(is_reported)](uint32_t cell) {
          return own_.contains(cell) || is_reported(cell);
        }) {}
  Around(const Around&) = delete;
  Around& operator=(const Around&) = delete;

  // What the row's method calls, when it runs outside of the method. Empty: not applicable.
  ChangeCell Elsewhere() const {
    if (!signal_.elsewhere || row_.is_part) return {};
    return Sum(signal_.elsewhere(row_));
  }
  ChangeCell Callers(int reach) const {
    return signal_.surroundings ? Sum(signal_.surroundings(row_, reach)) : ChangeCell();
  }
  ChangeCell OneSidedCallees() const {
    return signal_.one_sided_callees ? Sum(signal_.one_sided_callees(row_)) : ChangeCell();
  }
  ChangeCell Nearby(int reach) const {
    if (!signal_.surroundings || !signal_.nearby) return {};
    return signal_.nearby(row_, reach, is_left_out_);
  }

 private:
  ChangeCell Sum(const std::vector<uint32_t>& cells) const {
    ChangeCell sum;
    for (const uint32_t cell : cells) {
      if (is_left_out_(cell)) continue;
      sum.before += signal_.cells[cell].before;
      sum.after += signal_.cells[cell].after;
    }
    return sum;
  }

  const SignalChanges& signal_;
  const ChangeRow& row_;
  const std::unordered_set<uint32_t> own_;
  const std::function<bool(uint32_t)> is_left_out_;
};

// Whether most of the change is in native functions, which the JIT cannot have moved.
bool IsNative(const SignalChanges& signal, const Change& change, const ChangeRules& rules) {
  if (!signal.in_native) return false;
  const double own = change.test.after - change.test.before;
  return signal.in_native(signal, change.cells) / own >= rules.mostly_native;
}

int MostReach(const SignalChanges& signal, const Change& change, const ChangeRules& rules) {
  const bool is_inlined =
      signal.is_one_build && rules.IsInOneAlone(change.test.before, change.test.after);
  return is_inlined ? rules.most_reach_in_one_build : rules.most_reach;
}

}  // namespace

ChangeTest TestOf(const SignalChanges& signal, const ChangeCell& cell, double margin,
                  const ChangeRules& rules) {
  const Amounts* const old_whole = signal.has_common ? &signal.before_whole : nullptr;
  const Amounts* const new_whole = signal.has_common ? &signal.after_whole : nullptr;
  return TestChange({cell.before, signal.before_scale, old_whole},
                    {cell.after, signal.after_scale, new_whole}, margin, rules.chance);
}

bool HasMoved(const SignalChanges& signal, const Change& change,
              const std::function<bool(uint32_t)>& is_reported, double p_limit,
              const ChangeRules& rules) {
  if (IsNative(signal, change, rules)) return false;
  const Around around(signal, change, is_reported);
  // Significant by itself, or so large that the rest of the change may be chance.
  const auto makes_up_for = [&](const ChangeCell& cell, double sure) {
    const ChangeTest test = TestOf(signal, cell, 0, rules);
    const double left = LeftOf(change, test);
    if (test.t <= sure || left >= rules.partly_outweighed) return false;
    ChangeCell both = cell;
    both.before += change.before;
    both.after += change.after;
    return left < rules.outweighed || TestOf(signal, both, signal.margin, rules).p > p_limit;
  };
  const auto is_outweighed_by = [&](const ChangeCell& cell) {
    return LeftOf(change, TestOf(signal, cell, 0, rules)) < rules.outweighed;
  };
  // A method that one recording has none of is inlined into its caller there if that has as much
  // more; if it were really gone, its caller would be unchanged. How much both vary does not
  // matter, since they vary together.
  const bool is_one_sided = rules.IsInOneAlone(change.test.before, change.test.after);
  if (makes_up_for(around.Elsewhere(), rules.sure_move)) return true;
  if (is_outweighed_by(around.OneSidedCallees())) return true;
  const int most_reach = MostReach(signal, change, rules);
  for (int reach = 1; reach <= most_reach; ++reach) {
    const ChangeCell callers = around.Callers(reach);
    if (makes_up_for(callers, rules.sure_move)) return true;
    if (is_one_sided && is_outweighed_by(callers)) return true;
    if (makes_up_for(around.Nearby(reach), rules.likely_move)) return true;
  }
  return false;
}

bool MayHaveMoved(const SignalChanges& signal, const Change& change, const ChangeRules& rules) {
  if (IsNative(signal, change, rules)) return false;
  const Around around(signal, change, [](uint32_t) { return false; });
  const auto may_make_up_for = [&](const ChangeCell& cell) {
    return LeftOf(change, TestOf(signal, cell, 0, rules)) < rules.partly_outweighed;
  };
  if (may_make_up_for(around.Elsewhere())) return true;
  if (may_make_up_for(around.OneSidedCallees())) return true;
  const int most_reach = MostReach(signal, change, rules);
  for (int reach = 1; reach <= most_reach; ++reach) {
    if (may_make_up_for(around.Callers(reach)) || may_make_up_for(around.Nearby(reach)))
      return true;
  }
  return false;
}

}  // namespace hindsight::analyzer
