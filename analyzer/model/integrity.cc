#include "analyzer/model/integrity.h"

#include <algorithm>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

bool Integrity::intact() const {
  return damage_count == heap_damage_count && closed_in_order &&
         std::all_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.on_purpose(); });
}

uint64_t Integrity::lost_segments() const {
  uint64_t lost = 0;
  for (const Gap& gap : gaps) {
    if (gap.on_purpose()) continue;
    if (__builtin_add_overflow(lost, gap.count, &lost)) return UINT64_MAX;
  }
  return lost;
}

std::string MissingHeaps(const Integrity& integrity) {
  constexpr size_t kListed = 8;
  const std::vector<uint32_t>& missing = integrity.missing_heaps;
  if (missing.empty()) return "";
  std::string numbers;
  for (size_t i = 0; i < missing.size() && i < kListed; ++i) {
    numbers += (i == 0 ? "" : ", ") + std::to_string(missing[i]);
  }
  if (missing.size() > kListed) {
    numbers += " and " + FormatCount(missing.size() - kListed) + " more";
  }
  return missing.size() == 1 ? "The file of heap snapshot " + numbers + " is missing"
                             : "The files of heap snapshots " + numbers + " are missing";
}

std::string LossSentence(const Integrity& integrity) {
  const std::string heaps = MissingHeaps(integrity);
  if (integrity.intact()) return heaps.empty() ? "" : heaps + "; see `hindsight verify`.";
  std::string sentence = "The recording is incomplete: ";
  const uint64_t lost = integrity.lost_segments();
  if (lost > 0) {
    sentence += Plural(lost, "segment") + (lost == 1 ? " is" : " are") + " lost";
  } else if (integrity.damage_count > integrity.heap_damage_count) {
    sentence += FormatBytes(integrity.lost_bytes) + " are damaged";
  }
  if (!integrity.closed_in_order) {
    if (lost + integrity.damage_count > integrity.heap_damage_count) sentence += ", and ";
    sentence += "it ends abruptly, so up to one second may be missing, more if the disk was full";
  }
  if (!heaps.empty()) sentence += ". " + heaps;
  return sentence + "; see `hindsight verify`.";
}

}  // namespace hindsight::analyzer
