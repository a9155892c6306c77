#include "analyzer/budgets/judge.h"

#include <algorithm>
#include <utility>

#include "analyzer/analyses/pattern.h"
#include "analyzer/base/text.h"
#include "analyzer/budgets/measure_phrases.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostNames = 20'000;  // that are searched for a similar one

bool IsPattern(std::string_view subject) {
  return subject.find_first_of("*?") != std::string_view::npos;
}

// Order matches Shop.Order, but not Shop.PreOrder.
bool IsCalled(std::string_view name, std::string_view subject) {
  if (IsPattern(subject)) return MatchesPattern(subject, name);
  if (!name.ends_with(subject)) return false;
  return name.size() == subject.size() || name[name.size() - subject.size() - 1] == '.';
}

bool IsKept(double value, Bound bound, double limit) {
  switch (bound) {
    case Bound::kLess:
      return value < limit;
    case Bound::kAtMost:
      return value <= limit;
    case Bound::kEqual:
      return value == limit;
    case Bound::kNotEqual:
      return value != limit;
    case Bound::kAtLeast:
      return value >= limit;
    case Bound::kMore:
      break;
  }
  return value > limit;
}

// How far a value is beyond the limit: worse ones are larger.
double Badness(double value, Bound bound, double limit) {
  switch (bound) {
    case Bound::kLess:
    case Bound::kAtMost:
      return value - limit;
    case Bound::kEqual:
      return value == limit ? 0 : 1;
    case Bound::kNotEqual:
      return value == limit ? 1 : 0;
    case Bound::kAtLeast:
    case Bound::kMore:
      break;
  }
  return limit - value;
}

class Judgement {
 public:
  Judgement(const Budget& budget, const Measured& measured, const Measured* baseline)
      : rule_(budget.rule), is_optional_(budget.optional), measured_(measured), before_(baseline) {
    verdict_.budget = &budget;
  }

  BudgetVerdict Make() {
    if (!measured_.Knows(*rule_.kind)) {
      return CannotLook("Not recorded: it needs " + std::string(rule_.kind->needs->what) + ".");
    }
    if (rule_.limit.needs_baseline()) {
      if (before_ == nullptr) {
        return CannotLook("There is no baseline; give one with --baseline.");
      }
      if (!before_->Knows(*rule_.kind)) {
        return CannotLook("The baseline did not record it: it needs " +
                          std::string(rule_.kind->needs->what) + ".");
      }
    }
    for (const Measure& measure : measured_.Of(*rule_.kind)) {
      if (!rule_.subject.empty() && !IsCalled(measure.subject, rule_.subject)) continue;
      ++verdict_.matches;
      Consider(measure);
    }
    const bool is_single = rule_.kind->subject.empty();
    if (is_single && !verdict_.measured) {
      return CannotLook("The recording does not say it for certain.");
    }
    if (is_single && rule_.limit.needs_baseline() && before_->Of(*rule_.kind).empty()) {
      return CannotLook("The baseline does not say it for certain.");
    }
    if (!verdict_.measured) {
      Consider({rule_.kind, rule_.subject, 0, 0});
      if (!rule_.subject.empty()) verdict_.reason = NothingCalledSo();
    }
    const bool is_kept = IsKept(verdict_.measured->value, rule_.bound, verdict_.limit);
    verdict_.state = is_kept ? BudgetVerdict::State::kKept : BudgetVerdict::State::kBroken;
    return std::move(verdict_);
  }

 private:
  BudgetVerdict CannotLook(std::string reason) {
    verdict_.state = is_optional_ ? BudgetVerdict::State::kSkipped : BudgetVerdict::State::kBroken;
    verdict_.reason = std::move(reason);
    return std::move(verdict_);
  }

  // The baseline's value with the same name: each name that matches a pattern has its own.
  double Baseline(const Measure& measure) const {
    for (const Measure& other : before_->Of(*rule_.kind)) {
      if (other.subject == measure.subject) return other.value;
    }
    return 0;
  }

  void Consider(const Measure& measure) {
    std::optional<double> baseline;
    double limit = rule_.limit.amount;
    if (rule_.limit.needs_baseline()) {
      baseline = Baseline(measure);
      limit += rule_.limit.factor * *baseline;
    }
    const double badness = Badness(measure.value, rule_.bound, limit);
    if (verdict_.measured && badness <= worst_) return;
    worst_ = badness;
    verdict_.measured = measure;
    verdict_.limit = limit;
    verdict_.baseline = baseline;
  }

  std::string NothingCalledSo() const {
    const std::string kind(rule_.kind->subject);
    std::string out = "No " + kind + " of this name is in the recording";
    if (IsPattern(rule_.subject)) return out + ".";
    std::vector<std::string> names;
    for (const Measure& measure : measured_.Of(*rule_.kind)) {
      if (names.size() == kMostNames) break;
      names.push_back(measure.subject);
    }
    const std::string nearest = Nearest(rule_.subject, names);
    return nearest.empty() ? out + "." : out + "; did you mean " + Printable(nearest) + "?";
  }

  const BudgetRule& rule_;
  const bool is_optional_;
  const Measured& measured_;
  const Measured* const before_;
  BudgetVerdict verdict_;
  double worst_ = 0;
};

}  // namespace

std::vector<BudgetVerdict> JudgeBudgets(std::span<const Budget> budgets, const Measured& measured,
                                        const Measured* baseline) {
  std::vector<BudgetVerdict> verdicts;
  for (const Budget& budget : budgets) {
    verdicts.push_back(Judgement(budget, measured, baseline).Make());
  }
  return verdicts;
}

}  // namespace hindsight::analyzer
