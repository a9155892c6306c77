#include "analyzer/analyses/comparison/significance.h"

#include <algorithm>
#include <cmath>

namespace hindsight::analyzer {
namespace {

constexpr double kNormal95 = 1.96;
constexpr double kWellKnown = 0.25;  // standard error, of the amount
// Beyond, slices say nothing of how the next recording will be.
constexpr double kMostCorrelation = 0.85;

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

// What 95 % of Student's distribution lie within, by the first terms of its expansion.
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

Unrest UnrestOf(const Amounts& amounts, const Amounts* whole) {
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
  Unrest unrest{amounts.variance, kCount - 1};
  if (!(squares > 0)) return unrest;
  const double found = neighbours / squares;
  // What independent slices show two times in three is no sign of anything. Beyond, the estimate is
  // too small: by Kendall's (1 + 4r) / n where the mean is estimated, too.
  const double correlation = found * found * kCount < 1 || found < 0
                                 ? 0
                                 : std::min(found + (1 + 4 * found) / kCount, kMostCorrelation);
  const double longer = (1 + correlation) / (1 - correlation);
  const double variance = longer * squares * kCount / (kCount - 1);
  if (variance <= unrest.variance) return unrest;
  unrest.variance = variance;
  unrest.freedom = std::max(1.0, kCount / longer - 1);

  return unrest;
}

ChangeTest TestChange(const ScaledAmounts& before, const ScaledAmounts& after, double margin) {
  ChangeTest test;
  test.before = before.amounts.total * before.scale;
  test.after = after.amounts.total * after.scale;
  const uint64_t samples = before.amounts.samples + after.amounts.samples;
  if (samples == 0) return test;
  // One sample more or less is possible, even where there was none.
  const double one = (before.amounts.total + after.amounts.total) / static_cast<double>(samples);
  const auto scaled = [one](const ScaledAmounts& side) {
    Unrest unrest = UnrestOf(side.amounts, side.whole);
    unrest.variance = (unrest.variance + one * one) * side.scale * side.scale;
    return unrest;
  };
  const Unrest b = scaled(before);
  const Unrest a = scaled(after);
  if (!(a.variance + b.variance > 0)) return test;
  // Whether the larger one, without the margin, is still larger.
  const bool is_more = test.after > test.before;
  const double kept = 1 - margin;
  const double of_larger = (is_more ? a : b).variance * kept * kept;
  const double of_smaller = (is_more ? b : a).variance;
  const double freedom = (of_larger + of_smaller) * (of_larger + of_smaller) /
                         (of_larger * of_larger / (is_more ? a : b).freedom +
                          of_smaller * of_smaller / (is_more ? b : a).freedom);
  test.t = (kept * std::max(test.before, test.after) - std::min(test.before, test.after)) /
           std::sqrt(of_larger + of_smaller);
  test.error = Student95(freedom) * std::sqrt(a.variance + b.variance);
  // Of two that are well known the ratio says more: a larger amount is also a more restless one.
  const double of_before = std::sqrt(b.variance) / test.before;
  const double of_after = std::sqrt(a.variance) / test.after;
  if (of_before < kWellKnown && of_after < kWellKnown) {
    test.t = (std::abs(std::log(test.after / test.before)) + std::log(kept)) /
             std::hypot(of_before, of_after);
  }
  test.p = StudentTail(test.t, freedom);
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
