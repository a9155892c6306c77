// The texts of those findings of a fleet that are shown: those of the worst of all that are the
// same.
//
// Which one that is is only known at the end: a recording may turn out to be a copy, or a part of
// another, and is then left out. So the worst one so far is kept, separately for whole recordings
// and for parts; if that one is left out, the recording that counts is read again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/fleet/kept_row.h"

namespace hindsight::analyzer {

struct FindingText {
  std::string title, command;
};

class FindingTexts {
 public:
  // `found` and `row`: what is kept of `finding` and of its recording.
  void Offer(const RowFinding& finding, const KeptFinding& found, const KeptRow& row);
  // For this finding in this recording, which was offered. Null: it was not kept.
  const FindingText* Find(const KeptFinding& found, const KeptRow& row) const;
  // For any one with the same application and key, of which at least one was offered.
  const FindingText& Any(const KeptFinding& found, const KeptRow& row) const;

 private:
  struct Held {
    Severity severity = Severity::kNote;
    double impact = 0;
    std::string path;
    FindingText text;
  };
  struct Worst {
    std::optional<Held> whole, part;
  };
  std::map<std::pair<uint32_t, uint32_t>, Worst> worst_;  // keyed by application and key
};

}  // namespace hindsight::analyzer
