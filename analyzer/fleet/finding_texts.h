// The texts of those findings of a fleet that are shown: of the worst of all the same.
//
// Which one that is, is known only in the end: a recording may turn out to be a copy, or a part of
// another, and is left out then. So the worst seen so far is held, apart for whole recordings and
// for parts; where that was left out, the recording that counts is read again.
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
  // `found`: what is kept of `finding` and of its recording.
  void Offer(const RowFinding& finding, const KeptFinding& found, const KeptRow& row);
  // Of this finding in this recording, which was offered. Null: it is not held.
  const FindingText* Find(const KeptFinding& found, const KeptRow& row) const;
  // Of any that has the same application and key: one was offered.
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
  std::map<std::pair<uint32_t, uint32_t>, Worst> worst_;  // by application and key
};

}  // namespace hindsight::analyzer
