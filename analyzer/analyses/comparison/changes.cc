#include "analyzer/analyses/comparison/changes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/comparison/moves.h"

namespace hindsight::analyzer {
namespace {

bool HasFewSamples(const ChangeCell& cell) {
  return std::max(cell.before.samples, cell.after.samples) < kFewSamples;
}

bool IsSignificant(const SignalChanges& signal, const ChangeRow& row, const ChangeCell& cell,
                   const ChangeTest& test, double p_limit) {
  const double difference = std::abs(test.after - test.before);
  // A few samples after a long time with hardly any are improbable, but may come at once.
  const bool may_be_one_burst =
      std::max(cell.before.samples, cell.after.samples) < 2 * kFewSamples &&
      difference < test.error;
  return !HasFewSamples(cell) && !may_be_one_burst && test.p <= p_limit &&
         difference >= std::max(signal.least, row.least);
}

class Explanation {
 public:
  Explanation(const SignalChanges& signal, double p_limit, const ChangeRules& rules)
      : signal_(signal), p_limit_(p_limit), rules_(rules), is_explained_(signal.cells.size()) {
    for (const ChangeRow& row : signal.rows) {
      Change change = Remaining(row);
      if (IsGood(change)) candidates_.push_back(std::move(change));
    }
  }

  std::vector<Change> Find() {
    std::vector<Change> found;
    while (!candidates_.empty() && found.size() < rules_.most_changes) {
      const size_t best = Best();
      Change change = std::move(candidates_[best]);
      candidates_.erase(candidates_.begin() + static_cast<ptrdiff_t>(best));
      const auto is_reported = [this](uint32_t cell) { return bool{is_explained_[cell]}; };
      if (HasMoved(signal_, change, is_reported, p_limit_, rules_)) continue;
      for (const uint32_t cell : change.cells) is_explained_[cell] = true;
      for (Change& other : candidates_) other = Remaining(*other.row);
      std::erase_if(candidates_, [this](const Change& other) { return !IsGood(other); });
      found.push_back(std::move(change));
    }
    for (Change& change : found) SortCells(change);
    return found;
  }

 private:
  Change Remaining(const ChangeRow& row) const {
    Change change{.row = &row};
    for (const uint32_t cell : row.cells) {
      if (is_explained_[cell]) continue;
      change.cells.push_back(cell);
      change.before += signal_.cells[cell].before;
      change.after += signal_.cells[cell].after;
    }
    change.test = TestOf(signal_, {change.before, change.after}, signal_.margin, rules_);
    return change;
  }

  bool IsGood(const Change& change) const {
    return IsSignificant(signal_, *change.row, {change.before, change.after}, change.test,
                         p_limit_);
  }

  // The more a row contains apart from the change, the larger its error, and so the smaller its t.
  size_t Best() const {
    size_t best = 0;
    for (size_t i = 1; i < candidates_.size(); ++i) {
      if (candidates_[i].test.t > candidates_[best].test.t) best = i;
    }
    const ChangeTest& most = candidates_[best].test;
    const double change = most.after - most.before;
    size_t preferred = best;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const ChangeTest& test = candidates_[i].test;
      // A change of the whole says little if one of its parts changed.
      const bool is_whole = candidates_[best].row->subject.empty();
      const double good = is_whole ? rules_.most_of_whole : rules_.equally_good;
      const double sure = is_whole ? rules_.as_sure_as_whole : rules_.equally_good;
      const bool is_as_good =
          test.t >= sure * most.t && (test.after - test.before) / change >= good;
      if (is_as_good && candidates_[i].row->preference > candidates_[preferred].row->preference) {
        preferred = i;
      }
    }
    return preferred;
  }

  void SortCells(Change& change) const {
    const auto size = [this](uint32_t i) { return std::abs(ChangeOf(signal_, signal_.cells[i])); };
    std::stable_sort(change.cells.begin(), change.cells.end(),
                     [&](uint32_t a, uint32_t b) { return size(a) > size(b); });
  }

  const SignalChanges& signal_;
  const double p_limit_;
  const ChangeRules& rules_;
  std::vector<bool> is_explained_;
  std::vector<Change> candidates_;
};

struct Ratio {
  double log = 0;
  double error = 0;  // 0: exact
};

bool Agree(const Ratio& a, const Ratio& b, const ChangeRules& rules) {
  return std::abs(a.log - b.log) < rules.agreement * std::hypot(a.error, b.error);
}

// A factor, as its logarithm, and the number of ratios that agree with it.
struct Support {
  Ratio mean;
  size_t count = 0;
};

// The mean of those that agree with `seed`.
Support SupportOf(const std::vector<Ratio>& ratios, const Ratio& seed, const ChangeRules& rules) {
  double sum = 0, weight = 0;
  for (const Ratio& ratio : ratios) {
    if (!Agree(ratio, seed, rules)) continue;
    const double of_ratio = 1 / std::max(1e-6, ratio.error * ratio.error);
    sum += of_ratio * ratio.log;
    weight += of_ratio;
  }
  Support support{.mean = {sum / weight, 1 / std::sqrt(weight)}};
  const Ratio exactly{support.mean.log};
  for (const Ratio& ratio : ratios) support.count += Agree(ratio, exactly, rules) ? 1 : 0;
  return support;
}

// The factor with which most agree; of several, the one nearest to 1.
Support MostSupported(const std::vector<Ratio>& ratios, const ChangeRules& rules) {
  Support best;
  const size_t step = std::max<size_t>(1, ratios.size() / rules.most_candidates);
  for (size_t i = 0; i < ratios.size(); i += step) {
    const Support support = SupportOf(ratios, ratios[i], rules);
    if (support.count > best.count ||
        (support.count == best.count && std::abs(support.mean.log) < std::abs(best.mean.log))) {
      best = support;
    }
  }
  return best;
}

std::vector<Ratio> RatiosOfParts(const SignalChanges& signal, const ChangeRules& rules) {
  std::vector<Ratio> ratios;
  const ChangeCell whole = WholeOf(signal);
  for (const ChangeRow& row : signal.rows) {
    if (!row.is_part) continue;
    const ChangeCell sum = SumOf(signal, row.cells);
    const double before = sum.before.total * signal.before_scale;
    const double after = sum.after.total * signal.after_scale;
    if (!(before > 0) || !(after > 0)) continue;
    const double b = VariabilityOf(sum.before, &whole.before, rules.chance).variance /
                     (sum.before.total * sum.before.total);
    const double a = VariabilityOf(sum.after, &whole.after, rules.chance).variance /
                     (sum.after.total * sum.after.total);
    const double error = std::sqrt(a + b);
    if (error < rules.known_ratio) ratios.push_back({std::log(after / before), error});
  }
  return ratios;
}

}  // namespace

ChangeCell SumOf(const SignalChanges& signal, const std::vector<uint32_t>& cells) {
  ChangeCell sum;
  for (const uint32_t cell : cells) {
    sum.before += signal.cells[cell].before;
    sum.after += signal.cells[cell].after;
  }
  return sum;
}

ChangeCell WholeOf(const SignalChanges& signal) {
  ChangeCell whole;
  for (const ChangeCell& cell : signal.cells) {
    whole.before += cell.before;
    whole.after += cell.after;
  }
  return whole;
}

double ChangeOf(const SignalChanges& signal, const ChangeCell& cell) {
  return cell.after.total * signal.after_scale - cell.before.total * signal.before_scale;
}

CommonFactor FindCommonFactor(const SignalChanges& signal, const ChangeRules& rules) {
  std::vector<Ratio> ratios = RatiosOfParts(signal, rules);
  CommonFactor common{.rows = ratios.size()};
  if (ratios.size() < rules.fewest_ratios) return common;
  std::sort(ratios.begin(), ratios.end(),
            [](const Ratio& a, const Ratio& b) { return a.log < b.log; });
  const Support most = MostSupported(ratios, rules);
  size_t unchanged = 0, only_unchanged = 0;
  for (const Ratio& ratio : ratios) {
    if (!Agree(ratio, {}, rules)) continue;
    ++unchanged;
    if (!Agree(ratio, {most.mean.log}, rules)) ++only_unchanged;
  }
  common.alike = unchanged;
  const auto agreeing = static_cast<double>(most.count);
  if (agreeing <= rules.most_agree * static_cast<double>(ratios.size())) return common;
  // Either most ratios show it, each by itself, or all of them together do, with hardly any against
  // it. It need not be certain: it is closer to the truth than 1 is.
  const bool is_shown_by_each = agreeing > rules.shown_by_each * static_cast<double>(unchanged);
  const bool is_shown_by_all = std::abs(most.mean.log) > most.mean.error &&
                               static_cast<double>(only_unchanged) <= rules.against_all * agreeing;
  if (!is_shown_by_each && !is_shown_by_all) return common;
  common.factor = std::exp(most.mean.log);
  common.alike = most.count;
  common.is_sure = std::abs(most.mean.log) > rules.sure_move * most.mean.error;
  return common;
}

CommonFactor TakeOutCommonFactor(SignalChanges& signal, const ChangeRules& rules) {
  const CommonFactor common = FindCommonFactor(signal, rules);
  signal.before_scale *= common.factor;
  signal.has_common = common.rows >= rules.fewest_ratios;
  const ChangeCell whole = WholeOf(signal);
  signal.before_whole = whole.before;
  signal.after_whole = whole.after;
  return common;
}

void AppendPValues(const SignalChanges& signal, std::vector<double>& p_values,
                   const ChangeRules& rules) {
  for (const ChangeRow& row : signal.rows) {
    const ChangeCell sum = SumOf(signal, row.cells);
    if (!HasFewSamples(sum)) p_values.push_back(TestOf(signal, sum, signal.margin, rules).p);
  }
}

std::vector<Change> ExplainChanges(const SignalChanges& signal, double p_limit,
                                   const ChangeRules& rules) {
  return Explanation(signal, p_limit, rules).Find();
}

std::vector<Change> FindBursts(const SignalChanges& signal, double p_limit,
                               const ChangeRules& rules) {
  const auto difference = [](const Change& change) {
    return std::abs(change.test.after - change.test.before);
  };
  // Other conditions, which are cheaper to check than significance.
  const auto is_much = [&](const ChangeCell& sum, double least) {
    const double before = sum.before.total * signal.before_scale;
    const double after = sum.after.total * signal.after_scale;
    const double sampling = std::hypot(std::sqrt(sum.before.variance) * signal.before_scale,
                                       std::sqrt(sum.after.variance) * signal.after_scale);
    return !HasFewSamples(sum) &&
           std::max(before, after) >= rules.burst_factor * std::min(before, after) &&
           std::abs(after - before) >= std::max(least, rules.sure_sampling * sampling);
  };
  std::vector<Change> bursts;
  for (const ChangeRow& row : signal.rows) {
    if (!row.is_part && row.level != Difference::Level::kType) continue;
    const ChangeCell sum = SumOf(signal, row.cells);
    if (!is_much(sum, std::max(signal.least, row.least))) continue;
    Change change{.row = &row, .before = sum.before, .after = sum.after, .cells = row.cells};
    change.test = TestOf(signal, sum, signal.margin, rules);
    if (change.test.p > p_limit && !MayHaveMoved(signal, change, rules)) {
      bursts.push_back(std::move(change));
    }
  }
  std::stable_sort(bursts.begin(), bursts.end(),
                   [&](const Change& a, const Change& b) { return difference(a) > difference(b); });
  if (bursts.size() > rules.most_bursts) bursts.resize(rules.most_bursts);
  return bursts;
}

}  // namespace hindsight::analyzer
