#include "analyzer/analyses/comparison/significance.h"

#include <algorithm>
#include <cmath>

namespace hindsight::analyzer {
namespace {

constexpr double kNormal95 = 1.96;
// Parts of a recording that are long enough to contain phases.
constexpr size_t kParts = 4;
constexpr int kLooks = 2;  // tests of each change

// The continued fraction of the incomplete beta function, by Lentz's method.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int i = 1; i <= 300; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double step = d * c;
    result *= step;
    if (std::abs(step - 1) < 1e-12) break;
  }
  return result;
}

// Regularized incomplete beta function I_x(a, b).
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

// Of a sum or difference of two, after Welch and Satterthwaite.
double FreedomOf(const Variability& a, const Variability& b) {
  const double both = a.variance + b.variance;
  return both * both / (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
}

// The logarithm of a scaled amount: from the total, and as the mean of its parts' logarithms, with
// what is known about the error of both.
struct LogAmount {
  double by_total = 0, by_parts = 0;
  Variability variability;
};

// `of_slices`: see Variability. `one`: the amount of one sample, by which every part may be larger.
LogAmount LogOf(const ScaledAmounts& side, double of_slices, double one, const ChanceRules& rules) {
  const Amounts& amounts = side.amounts;
  const bool has_whole = side.whole != nullptr && side.whole->total > 0;
  constexpr size_t kLength = Amounts::kSlices / kParts;
  std::array<double, kParts> logs{};
  double mean = 0;
  for (size_t i = 0; i < kParts; ++i) {
    double part = one, whole = one;
    for (size_t k = i * kLength; k < (i + 1) * kLength; ++k) {
      part += amounts.slices[k];
      if (has_whole) whole += side.whole->slices[k];
    }
    logs[i] = std::log(part) - (has_whole ? std::log(whole) : 0);
    mean += logs[i] / kParts;
  }
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const double total = amounts.total + kParts * one;
  LogAmount result;
  result.by_total = std::log(total * side.scale);
  result.by_parts = mean + std::log((has_whole ? side.whole->total : kParts) * side.scale);
  constexpr double kOwnFreedom = kParts - 1;
  result.variability.freedom = kOwnFreedom + rules.usual_freedom;
  result.variability.variance =
      (squares / kParts + rules.usual_freedom * rules.usual_variability * rules.usual_variability) /
      result.variability.freedom;
  // The precision of bursts depends on their number, whatever the parts look like.
  const double least = std::max(amounts.variance, of_slices);
  result.variability.variance =
      std::max(result.variability.variance, (least + kParts * one * one) / (total * total));
  return result;
}

// The probability that a change by this factor is chance. Only a large factor exceeds the usual
// variability, but it does even if slices are so correlated that they do not show the variability.
double LargeChangeTail(const LogAmount& from, const LogAmount& to, double margin) {
  const double factor = std::min(to.by_total - from.by_total, to.by_parts - from.by_parts);
  const double error = std::sqrt(from.variability.variance + to.variability.variance);
  const double t = (factor + std::log1p(-margin)) / error;
  return std::isfinite(t) ? StudentTail(t, FreedomOf(from.variability, to.variability)) : 1;
}

// The range that contains 95 % of Student's distribution, from the first terms of its expansion.
double Student95(double freedom) {
  const double z = kNormal95;
  return z + (z * z * z + z) / (4 * std::max(2.0, freedom));
}

}  // namespace

Amounts& Amounts::operator+=(const Amounts& other) {
  total += other.total;
  variance += other.variance;
  samples += other.samples;
  for (size_t i = 0; i < kSlices; ++i) slices[i] += other.slices[i];
  return *this;
}

size_t TimeSlices::Of(int64_t at_ns) const {
  if (to_ns_ <= from_ns_) return 0;
  const double at = static_cast<double>(at_ns - from_ns_) / static_cast<double>(to_ns_ - from_ns_);
  const double slices = Amounts::kSlices;
  return static_cast<size_t>(std::clamp(at * slices, 0.0, slices - 1));
}

Variability VariabilityOf(const Amounts& amounts, const Amounts* whole, const ChanceRules& rules) {
  constexpr double kCount = Amounts::kSlices;
  const double share = whole != nullptr && whole->total > 0 ? amounts.total / whole->total : 0;
  std::array<double, Amounts::kSlices> slices{};
  double mean = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    slices[i] = amounts.slices[i] - (share > 0 ? share * whole->slices[i] : 0);
    mean += slices[i] / kCount;
  }
  double squares = 0, neighbours = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    const double off = slices[i] - mean;
    squares += off * off;
    if (i > 0) neighbours += off * (slices[i - 1] - mean);
  }
  Variability variability{amounts.variance, kCount - 1};
  if (!(squares > 0)) return variability;
  const double found = neighbours / squares;
  // A correlation that independent slices show two times in three is not significant. Beyond that,
  // the estimate is too small: by Kendall's (1 + 4r) / n, since the mean is estimated as well.
  const double correlation =
      found * found * kCount < 1 || found < 0
          ? 0
          : std::min(found + (1 + 4 * found) / kCount, rules.most_correlation);
  const double longer = (1 + correlation) / (1 - correlation);
  variability.of_slices = squares * kCount / (kCount - 1);
  const double variance = longer * variability.of_slices;
  if (variance <= variability.variance) return variability;
  variability.variance = variance;
  variability.freedom = std::max(1.0, kCount / longer - 1);
  return variability;
}

ChangeTest TestChange(const ScaledAmounts& before, const ScaledAmounts& after, double margin,
                      const ChanceRules& rules) {
  ChangeTest test;
  test.before = before.amounts.total * before.scale;
  test.after = after.amounts.total * after.scale;
  const uint64_t samples = before.amounts.samples + after.amounts.samples;
  if (samples == 0) return test;
  // One sample more or less is always possible, even if there was none.
  const double one = (before.amounts.total + after.amounts.total) / static_cast<double>(samples);
  const auto scaled = [one, &rules](const ScaledAmounts& side) {
    Variability variability = VariabilityOf(side.amounts, side.whole, rules);
    variability.variance = (variability.variance + one * one) * side.scale * side.scale;
    return variability;
  };
  const Variability b = scaled(before);
  const Variability a = scaled(after);
  if (!(a.variance + b.variance > 0)) return test;
  // Whether the larger one is still larger without the margin.
  const bool is_more = test.after > test.before;
  const double kept = 1 - margin;
  Variability larger = is_more ? a : b;
  const Variability smaller = is_more ? b : a;
  larger.variance *= kept * kept;
  const double freedom = FreedomOf(larger, smaller);
  test.t = (kept * std::max(test.before, test.after) - std::min(test.before, test.after)) /
           std::sqrt(larger.variance + smaller.variance);
  test.error = Student95(freedom) * std::sqrt(a.variance + b.variance);
  // If both are well known, the ratio is more conclusive: a larger amount also varies more.
  const double of_before = std::sqrt(b.variance) / test.before;
  const double of_after = std::sqrt(a.variance) / test.after;
  if (of_before < rules.well_known && of_after < rules.well_known) {
    test.t = (std::abs(std::log(test.after / test.before)) + std::log(kept)) /
             std::hypot(of_before, of_after);
  }
  test.p = StudentTail(test.t, freedom);
  const LogAmount log_before = LogOf(before, b.of_slices, one, rules);
  const LogAmount log_after = LogOf(after, a.of_slices, one, rules);
  const double large = is_more ? LargeChangeTail(log_before, log_after, margin)
                               : LargeChangeTail(log_after, log_before, margin);
  test.p = std::min(1.0, kLooks * std::min(test.p, large));
  return test;
}

double StudentTail(double t, double freedom) {
  const double half = 0.5 * IncompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
  return std::max(1e-300, t >= 0 ? half : 1 - half);
}

double HolmLimit(std::vector<double> p_values, double alpha) {
  std::sort(p_values.begin(), p_values.end());
  double limit = -1;
  for (size_t i = 0; i < p_values.size(); ++i) {
    if (p_values[i] > alpha / static_cast<double>(p_values.size() - i)) break;
    limit = p_values[i];
  }
  return limit;
}

}  // namespace hindsight::analyzer
