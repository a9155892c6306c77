// Text for changes of amounts.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/analyses/comparison/comparison.h"

namespace hindsight::analyzer {

// What is measured, before any division.
enum class AmountKind : uint8_t { kCpuTime, kWaiting, kPauses, kBytes, kCount, kShare };

Unit UnitOf(AmountKind kind, Per per);

// A normalized amount: "0.46 cores", "12.3 ms a request", "3.2 MiB/s", "60 a second", "2.1
// threads".
std::string AmountText(AmountKind kind, Per per, double amount);

// "0.23 -> 0.46 cores".
std::string FromTo(AmountKind kind, Per per, double before, double after);

// From this ratio on a change is reported as a multiple, not as a percentage.
inline constexpr double kTimesFrom = 1.5;

// "2.0 times", "130 times".
std::string Times(double ratio);

// "2.0 times the CPU time", "23 % more CPU time", "48 % less CPU time". Both above 0.
std::string HowMuch(double before, double after, std::string_view what);
// "2.0 times as long", "52 % less time"
std::string HowLong(double before, double after);

// New and gone are what the other does not have at all.
Difference::Direction DirectionOf(double before, double after);

}  // namespace hindsight::analyzer
