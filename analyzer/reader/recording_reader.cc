#include "analyzer/reader/recording_reader.h"

#include <utility>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/reader/read_bodies.h"
#include "analyzer/reader/segment_index.h"

namespace hindsight::analyzer {

struct Recording::State {
  SegmentIndex index;
  std::string name;  // for messages

  // Moves `context` from the previous segment to this one; `previous` is null for the first.
  void Enter(size_t segment, const SegmentRef* previous, PacketContext& context) const;
};

void Recording::State::Enter(size_t segment, const SegmentRef* previous,
                             PacketContext& context) const {
  const SegmentHeader& header = index.segments()[segment].header;
  context.sequence = header.sequence;
  if (previous == nullptr || previous->header.file_number != header.file_number) {
    if (previous != nullptr) ++context.file_ordinal;
    context.dictionary_gap = !index.BeginsItsFile(segment);
  } else if (previous->header.sequence + 1 != header.sequence) {
    context.dictionary_gap = true;
  }
}

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

const Integrity& Recording::integrity() const { return state_->index.integrity(); }
const std::string& Recording::name() const { return state_->name; }
SegmentIndex& Recording::index() { return state_->index; }

Result<Recording> Recording::Open(std::span<const std::string> paths, Progress* progress) {
  Result<SegmentIndex> index = SegmentIndex::Build(paths, progress);
  if (!index) return index.error();
  if (progress != nullptr) progress->Finish();
  return Recording(std::make_unique<State>(State{std::move(index).value(), Printable(paths[0])}));
}

Result<void> Recording::ForEachPacket(const Callback& callback, Progress* progress) {
  SegmentIndex& index = state_->index;
  uint64_t unknown_packets = 0;
  std::vector<uint32_t> heap_files;
  const SegmentRef* previous = nullptr;  // the last delivered one
  PacketContext place;                   // of the segment
  const char* const invalid = ForEachBody(index, progress, [&](const CheckedBody& body) {
    state_->Enter(body.segment, previous, place);
    for (const CheckedPacket& checked : body.packets) {
      const Packet& packet = *checked.packet;
      if (packet.has_heap_files()) {
        heap_files.assign(packet.heap_files().number().begin(), packet.heap_files().number().end());
      }
      PacketContext context = checked.context;
      context.file_ordinal = place.file_ordinal;
      context.sequence = place.sequence;
      context.dictionary_gap = place.dictionary_gap;
      callback(context, packet);
    }
    unknown_packets += body.unknown_packets;
    index.SetTimes(body.segment, body.first_unix_ns, body.last_unix_ns);
    previous = &index.segments()[body.segment];
  });
  index.SetUnknownPackets(unknown_packets);
  index.SetHeapFiles(std::move(heap_files));
  index.Summarize();
  if (previous == nullptr && !index.integrity().has_events) {
    return Error{state_->name +
                 " contains heap snapshots but no events: use `hindsight heap`, or give the "
                 "recording's folder."};
  }
  if (previous == nullptr) {
    return Error{state_->name + " holds no readable segment: " +
                 (invalid == nullptr ? "all are of kinds unknown to this version; update hindsight."
                                     : std::string(invalid) + "; it is corrupt or malicious.")};
  }
  return {};
}

}  // namespace hindsight::analyzer
