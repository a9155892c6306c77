#include "analyzer/reader/integrity.h"

#include <algorithm>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

bool Integrity::intact() const {
  return damage_count == heap_damage_count && closed_in_order &&
         std::all_of(gaps.begin(), gaps.end(),
                     [](const Gap& gap) { return gap.cause == Gap::Cause::kRotatedAway; });
}

uint64_t Integrity::lost_segments() const {
  uint64_t lost = 0;
  for (const Gap& gap : gaps) {
    if (gap.cause == Gap::Cause::kRotatedAway) continue;
    if (__builtin_add_overflow(lost, gap.count, &lost)) return UINT64_MAX;
  }
  return lost;
}

std::string LossSentence(const Integrity& integrity) {
  if (integrity.intact()) return "";
  std::string sentence = "The recording is incomplete: ";
  const uint64_t lost = integrity.lost_segments();
  if (lost > 0) {
    sentence += Plural(lost, "segment") + (lost == 1 ? " is" : " are") + " lost";
  } else if (integrity.damage_count > integrity.heap_damage_count) {
    sentence += FormatBytes(integrity.lost_bytes) + " are damaged";
  }
  if (!integrity.closed_in_order) {
    if (lost + integrity.damage_count > integrity.heap_damage_count) sentence += ", and ";
    sentence += "it ends abruptly, so its last second may be missing";
  }
  return sentence + "; `hindsight verify` tells more.";
}

}  // namespace hindsight::analyzer
