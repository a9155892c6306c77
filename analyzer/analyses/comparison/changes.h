// Reports each change of a signal once: of all rows that show it (a method, its callers, the
// whole), the most specific one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/comparison/significance.h"

namespace hindsight::analyzer {

// The smallest part for which amounts are known: for CPU time, a path.
struct ChangeCell {
  Amounts before, after;
  bool is_empty() const { return before.samples + after.samples == 0; }
};

// A candidate for a reported change: a method, a type, or the whole signal.
struct ChangeRow {
  Difference::Level level = Difference::Level::kWhole;
  std::string subject;
  // Of several rows that explain a change equally well, the one with the highest preference is
  // reported.
  int preference = 0;
  // Such rows share no cells, and together are the whole.
  bool is_part = false;
  double least = 0;             // in addition to SignalChanges::least, for this row
  std::vector<uint32_t> cells;  // distinct
};

struct SignalChanges {
  Signal signal = Signal::kCpu;
  double before_scale = 1, after_scale = 1;  // factors to normalized amounts
  // There are enough parts to separate changes of the whole from changes of a row.
  bool has_common = false;
  Amounts before_whole, after_whole;  // if has_common
  double margin = 0;                  // 0..1: changes up to this share do not count
  double least = 0;                   // normalized: nor do changes up to this amount
  bool is_one_build = false;          // both recordings ran the same code: no method is new or gone
  std::vector<ChangeCell> cells;
  std::vector<ChangeRow> rows;
  // Cells to or from which a row's amounts may have moved without a change of the program: the JIT
  // inlines methods into their callers, of which the nearest `reach` are considered. Empty: none.
  std::function<std::vector<uint32_t>(const ChangeRow& row, int reach)> surroundings;
  // Likewise, what the row's method calls, when it runs outside of the method: an async method that
  // had to wait continues on a different stack from one that did not. Not called for parts: a
  // method's self time does not include its callees.
  std::function<std::vector<uint32_t>(const ChangeRow& row)> elsewhere;
  // Likewise, the self amounts of methods that the row's method calls, directly or through each
  // other, and that one recording has almost none of: there, their code is in the row's.
  std::function<std::vector<uint32_t>(const ChangeRow& row)> one_sided_callees;
  // Likewise, for parts of cells: the amounts around the row in cells that are not left out.
  std::function<ChangeCell(const ChangeRow& row, int reach,
                           const std::function<bool(uint32_t cell)>& is_left_out)>
      nearby;
  // Of the change in these cells, the normalized part in native functions that changed as much in
  // the whole recordings. The JIT inlines none of them.
  std::function<double(const SignalChanges& signal, const std::vector<uint32_t>& cells)> in_native;
};

struct Change {
  const ChangeRow* row = nullptr;
  ChangeTest test = {};
  Amounts before = {}, after = {};   // in the cells that no other change explains
  std::vector<uint32_t> cells = {};  // those cells, largest change first
};

// The sum of the cells.
ChangeCell SumOf(const SignalChanges& signal, const std::vector<uint32_t>& cells);
ChangeCell WholeOf(const SignalChanges& signal);
// After minus before, normalized.
double ChangeOf(const SignalChanges& signal, const ChangeCell& cell);

// The factor by which most of the signal changed uniformly, because of the work or the machine's
// speed, not because of a method. 1 if rows stayed the same, or are too few to judge. Based on rows
// that are parts.
struct CommonFactor {
  double factor = 1;
  bool is_sure = false;        // that it differs from 1
  size_t rows = 0, alike = 0;  // examined, and those with this factor
};
CommonFactor FindCommonFactor(const SignalChanges& signal, const ChangeRules& rules = {});

// Finds it; from then on, rows are tested relative to it.
CommonFactor TakeOutCommonFactor(SignalChanges& signal, const ChangeRules& rules = {});

// Appends the p of every row that has enough samples to be conclusive.
void AppendPValues(const SignalChanges& signal, std::vector<double>& p_values,
                   const ChangeRules& rules = {});

// `p_limit`: see HolmLimit. In the order in which they were found: most certain first.
std::vector<Change> ExplainChanges(const SignalChanges& signal, double p_limit,
                                   const ChangeRules& rules = {});

// Parts and types that differ by a large factor, beyond the sampling error, but do not count as a
// change: their amounts vary so much that this may be chance. A few, the largest first.
std::vector<Change> FindBursts(const SignalChanges& signal, double p_limit,
                               const ChangeRules& rules = {});

}  // namespace hindsight::analyzer
