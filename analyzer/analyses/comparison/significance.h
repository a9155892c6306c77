// Whether two amounts differ by more than chance explains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/analyses/comparison/comparison_rules.h"

namespace hindsight::analyzer {

// An amount of one recording, with how it came about: in equal slices of the recorded time. Chance
// in the program (bursts, phases) shows in them, and chance in the sampling is in `variance`.
struct Amounts {
  static constexpr size_t kSlices = 24;

  double total = 0;
  double variance = 0;   // of `total`, by the error of sampling; of counts, Poisson's
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

// Cuts a recorded time into slices.
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

// The variance of a total, and the degrees of freedom that it was estimated with.
struct Variability {
  double variance = 0;
  double freedom = 0;
  double of_slices = 0;  // the variance if slices did not hang together
};

// The larger of what sampling does and what the slices show. Slices that go on like the ones before
// (phases, drifts) count as fewer: by their correlation with the next one.
// `whole`: what the amounts are part of, if it is the share of it that counts: then what moves all
// of it - the load, other processes on the machine - is no variability.
Variability VariabilityOf(const Amounts& amounts, const Amounts* whole = nullptr,
                          const ChanceRules& rules = {});

struct ChangeTest {
  double before = 0, after = 0;  // scaled
  double error = 0;              // 95 %, of after - before
  double t = 0;                  // how far beyond the margin, in standard errors
  double p = 1;                  // that chance makes it, one-sided
};

// An amount with what it is compared by.
struct ScaledAmounts {
  const Amounts& amounts;  // outlives this
  double scale = 1;
  const Amounts* whole = nullptr;  // see VariabilityOf
};

// Whether the scaled totals differ by more than `margin` (0..1) of the larger one: Welch's test,
// and one for changes by so large a factor that the usual variability of programs does not make
// them; that needs no knowledge of how long the phases of this program are. Swapping the two
// mirrors the result.
ChangeTest TestChange(const ScaledAmounts& before, const ScaledAmounts& after, double margin,
                      const ChanceRules& rules = {});

// That a variable with Student's distribution exceeds `t`; at least 1e-300.
double StudentTail(double t, double freedom);

// Holm's procedure: the largest of `p_values` that may be called significant if the chance of even
// one false call among all of them is to stay below `alpha`; negative if none.
double HolmLimit(std::vector<double> p_values, double alpha);

}  // namespace hindsight::analyzer
