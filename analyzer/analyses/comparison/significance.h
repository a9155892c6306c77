// Whether two amounts differ by more than chance explains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/analyses/comparison/comparison_rules.h"

namespace hindsight::analyzer {

// An amount of one recording, and its distribution over equal slices of the recorded time. These
// show the randomness of the program (bursts, phases); `variance` is that of sampling.
struct Amounts {
  static constexpr size_t kSlices = 24;

  double total = 0;
  double variance = 0;   // of `total`, from the sampling error; Poisson for counts
  uint64_t samples = 0;  // or events
  std::array<float, kSlices> slices{};

  void Add(size_t slice, double amount, double of_variance, uint64_t of_samples = 1) {
    total += amount;
    variance += of_variance;
    samples += of_samples;
    slices[slice] += static_cast<float>(amount);
  }
  Amounts& operator+=(const Amounts& other);
};

// Divides a recorded time into slices.
class TimeSlices {
 public:
  TimeSlices(int64_t from_ns, int64_t to_ns) : from_ns_(from_ns), to_ns_(to_ns) {}
  size_t Of(int64_t at_ns) const;
  double seconds() const { return static_cast<double>(to_ns_ - from_ns_) / 1e9; }
  int64_t from_ns() const { return from_ns_; }
  int64_t to_ns() const { return to_ns_; }

 private:
  int64_t from_ns_, to_ns_;
};

// The variance of a total, and the degrees of freedom of its estimate.
struct Variability {
  double variance = 0;
  double freedom = 0;
  double of_slices = 0;  // the variance if slices were independent
};

// The larger of the sampling variance and what the slices show. Slices that resemble the previous
// ones (phases, drifts) count as fewer, by their correlation with the next one. `whole`: what the
// amounts are part of, if it is their share of it that counts: then what moves all of it - the
// load, other processes on the machine - is not variability.
Variability VariabilityOf(const Amounts& amounts, const Amounts* whole = nullptr,
                          const ChanceRules& rules = {});

struct ChangeTest {
  double before = 0, after = 0;  // scaled
  double error = 0;              // 95 %, of after - before
  double t = 0;                  // how far beyond the margin, in standard errors
  double p = 1;                  // probability that this is chance, one-sided
};

// An amount, and what is needed to compare it.
struct ScaledAmounts {
  const Amounts& amounts;  // must outlive this
  double scale = 1;
  const Amounts* whole = nullptr;  // see VariabilityOf
};

// Whether the scaled totals differ by more than `margin` (0..1) of the larger one: Welch's test,
// and a second one for changes by a factor so large that the usual variability of programs cannot
// explain it, which does not depend on how long the phases of this program are. Swapping the two
// mirrors the result.
ChangeTest TestChange(const ScaledAmounts& before, const ScaledAmounts& after, double margin,
                      const ChanceRules& rules = {});

// The probability that a variable with Student's distribution exceeds `t`; at least 1e-300.
double StudentTail(double t, double freedom);

// Holm's procedure: the largest of `p_values` that may be called significant if the probability of
// even one false call among all of them is to stay below `alpha`; negative if there is none.
double HolmLimit(std::vector<double> p_values, double alpha);

}  // namespace hindsight::analyzer
