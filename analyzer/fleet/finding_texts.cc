#include "analyzer/fleet/finding_texts.h"

namespace hindsight::analyzer {

void FindingTexts::Offer(const RowFinding& finding, const KeptFinding& found, const KeptRow& row) {
  Worst& worst = worst_[{row.application, found.key}];
  std::optional<Held>& held = row.part_of == 0 ? worst.whole : worst.part;
  // Of equally bad ones, the first by path, so that the result does not depend on the order of
  // reading.
  const bool is_held =
      held && !IsWorse(found, *held) && (IsWorse(*held, found) || held->path <= row.path);
  if (is_held) return;
  held = Held{found.severity, found.impact, row.path, {finding.title, finding.command}};
}

const FindingText* FindingTexts::Find(const KeptFinding& found, const KeptRow& row) const {
  const Worst& worst = worst_.at({row.application, found.key});
  const std::optional<Held>& held = row.part_of == 0 ? worst.whole : worst.part;
  const bool is_this = held && held->path == row.path && held->severity == found.severity &&
                       held->impact == found.impact;
  return is_this ? &held->text : nullptr;
}

const FindingText& FindingTexts::Any(const KeptFinding& found, const KeptRow& row) const {
  const Worst& worst = worst_.at({row.application, found.key});
  return worst.whole ? worst.whole->text : worst.part->text;
}

}  // namespace hindsight::analyzer
