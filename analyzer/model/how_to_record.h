// What to do so that a signal is recorded the next time.
#pragma once

#include <algorithm>
#include <string>

#include "analyzer/model/recording_facts.h"

namespace hindsight::analyzer {

// Whether the source was enabled, but had not begun when the process ended.
inline bool EndedBefore(const RecordingFacts& facts, const std::string& source) {
  return facts.ended_in_start && std::ranges::find(facts.sources, source) != facts.sources.end();
}

// The end of a sentence: "record with `sources=+locks,+waits`." `source`: the one that matters;
// `with`: others.
inline std::string HowToRecord(const RecordingFacts& facts, const std::string& source,
                               const std::string& with = {}) {
  return EndedBefore(facts, source)
             ? "the process ended too soon; `events.from=start` records its start."
             : "record with `sources=+" + source + with + "`.";
}

}  // namespace hindsight::analyzer
