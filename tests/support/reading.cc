#include "tests/support/reading.h"

#include <algorithm>
#include <stdexcept>

#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/reference_check.h"

namespace hindsight::testing {

using analyzer::ExitCode;
using analyzer::Gap;
using analyzer::PacketContext;

std::unique_ptr<analyzer::Model> ModelOf(std::string_view text) {
  RecordingBuilder builder;
  builder.AddText(text);
  const TempDir folder;
  builder.WriteFolder(folder.path());
  const std::string path = folder.path().string();
  analyzer::Result<analyzer::Recording> recording = analyzer::Recording::Open({&path, 1});
  if (!recording) throw std::runtime_error(recording.error().sentence);
  auto model = analyzer::BuildModel(*recording, {});
  if (!model) throw std::runtime_error(model.error().sentence);
  return std::move(model).value();
}

ReadOutcome ReadAll(const std::vector<std::string>& paths) {
  ReadOutcome outcome;
  analyzer::Result<analyzer::Recording> recording = analyzer::Recording::Open(paths);
  if (!recording) {
    outcome.error = recording.error();
    return outcome;
  }
  analyzer::ReferenceCheck references;
  const analyzer::Result<void> read =
      recording->ForEachPacket([&](const PacketContext& context, const Packet& packet) {
        references.Take(context, packet);
        outcome.exceptions += packet.has_exception();
        outcome.segments[context.sequence].push_back(
            std::to_string(context.monotonic_ns) + " " + std::to_string(context.unix_ns) + " " +
            std::to_string(context.exception_id) + " " + packet.SerializeAsString());
      });
  if (!read) outcome.error = read.error();
  outcome.integrity = recording->integrity();
  outcome.undefined_references = references.undefined();
  return outcome;
}

std::string FindLie(const ReadOutcome& truth, const ReadOutcome& outcome) {
  if (outcome.error) {
    const bool is_sentence =
        !outcome.error->sentence.empty() && outcome.error->sentence.find('\n') == std::string::npos;
    if (!is_sentence) return "an error without a sentence";
    if (outcome.error->exit_code != ExitCode::kUnusableInput) return "an error with a wrong code";
    return outcome.segments.empty() ? "" : "an error after packets were delivered";
  }
  for (const auto& [sequence, packets] : outcome.segments) {
    const auto same = truth.segments.find(sequence);
    if (same == truth.segments.end()) return "a segment that never was";
    if (same->second != packets) return "segment " + std::to_string(sequence) + " is altered";
  }
  const uint64_t last = outcome.segments.empty() ? 0 : outcome.segments.rbegin()->first;
  bool lost = false;
  for (const auto& [sequence, packets] : truth.segments) {
    if (outcome.segments.contains(sequence)) continue;
    lost = true;
    const bool in_gap = std::any_of(outcome.integrity.gaps.begin(), outcome.integrity.gaps.end(),
                                    [&, number = sequence](const Gap& gap) {
                                      return number >= gap.first_sequence &&
                                             number - gap.first_sequence < gap.count;
                                    });
    if (in_gap) continue;
    if (sequence > last && !outcome.integrity.closed_in_order) continue;
    return "segment " + std::to_string(sequence) + " is lost in silence";
  }
  if (lost && outcome.integrity.intact()) return "segments are lost and it says intact";
  if (lost && LossSentence(outcome.integrity).empty()) return "no sentence tells of the loss";
  if (outcome.undefined_references != 0) return "names are lost and no gap says so";
  return "";
}

}  // namespace hindsight::testing
