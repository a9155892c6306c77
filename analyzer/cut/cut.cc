#include "analyzer/cut/cut.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"
#include "analyzer/cut/cut_span.h"
#include "analyzer/cut/new_recording.h"
#include "analyzer/reader/files.h"
#include "analyzer/reader/segment_body.h"
#include "analyzer/reader/segment_loader.h"
#include "proto/limits.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

bool IsDictionary(const Packet& packet) {
  switch (packet.data_case()) {
    case Packet::kString:
    case Packet::kModule:
    case Packet::kType:
    case Packet::kMethod:
    case Packet::kFrame:
    case Packet::kStack:
    case Packet::kThread:
      return true;
    default:
      return false;
  }
}

// The same id for the same cut of a recording, whoever makes it.
uint64_t IdOf(const Cut& cut) {
  uint64_t id = cut.recording_id();
  for (const uint64_t part : {cut.from_ns(), cut.to_ns(), uint64_t{1}}) {
    id = (id ^ part) * 0x9e3779b97f4a7c15u;
    id ^= id >> 29;
  }
  return id;
}

std::string LastPartOf(const std::string& path) {
  const fs::path whole = PathOf(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

// Whether `path` would be created inside one of the folders that are read.
bool IsInside(const std::string& path, std::span<const std::string> folders) {
  std::error_code error;
  const fs::path where = fs::weakly_canonical(fs::absolute(PathOf(path), error), error);
  for (const std::string& folder : folders) {
    if (!fs::is_directory(PathOf(folder), error)) continue;
    const fs::path whole = fs::canonical(PathOf(folder), error);
    const auto parts = std::mismatch(whole.begin(), whole.end(), where.begin(), where.end());
    if (parts.first == whole.end()) return true;
  }
  return false;
}

class Cutter {
 public:
  Cutter(const CutRequest& request, const SegmentIndex& index, const CutSpan& span)
      : request_(request), index_(index), span_(span), loader_(index_.paths()) {}

  Result<CutDone> Run() {
    Result<NewRecording> output = NewRecording::Create(request_.output);
    if (!output) return output.error();
    output_ = &*output;
    Describe();
    for (const auto step : {&Cutter::WritePrologue, &Cutter::CopyEvents, &Cutter::WriteEnd,
                            &Cutter::CopyHeaps, &Cutter::Finish}) {
      if (Result<void> done = (this->*step)(); !done) return done.error();
    }
    CutDone done;
    done.files = output->files();
    done.bytes = output->bytes();
    done.snapshots = span_.heaps.size();
    done.first_ns = span_.first_ns;
    done.last_ns = span_.last_ns;
    return done;
  }

 private:
  const SegmentRef& RefOf(const SegmentFacts& facts) const {
    return index_.segments()[facts.segment];
  }

  // What the new recording says about itself.
  void Describe() {
    Cut cut;
    cut.set_recording_id(index_.integrity().recording_id);
    cut.set_name(ValidUtf8(LastPartOf(request_.paths[0]).substr(0, kMaxNameBytes)));
    cut.set_from_ns(static_cast<uint64_t>(std::max<int64_t>(request_.from_ns, 0)));
    cut.set_to_ns(request_.to_ns == INT64_MAX ? 0 : static_cast<uint64_t>(request_.to_ns));
    id_ = IdOf(cut);
    // For a cut of a cut, the original recording: times still refer to that.
    if (span_.process && span_.process->has_cut()) {
      cut.set_recording_id(span_.process->cut().recording_id());
      cut.set_name(span_.process->cut().name());
    }
    cut_ = std::move(cut);
  }

  SegmentHeader NewHeader() const {
    SegmentHeader header;
    header.recording_id = id_;
    header.file_number = 1;
    header.sequence = next_sequence_;
    header.oldest_file = 1;
    return header;
  }

  // Dictionary entries from the file in which the span begins, defined before it.
  Result<void> WritePrologue() {
    const SegmentRef& first = RefOf(span_.segments[span_.first]);
    first_file_ = first.header.file_number;
    size_t from = span_.first;
    while (from > 0 && RefOf(span_.segments[from - 1]).header.file_number == first_file_) --from;
    const bool begins_file = index_.BeginsItsFile(span_.segments[from].segment);
    if (from == span_.first && begins_file && span_.segments[span_.first].has_process) return {};

    StartPrologue();
    if (span_.process) {
      Packet packet;
      *packet.mutable_process() = *span_.process;
      *packet.mutable_process()->mutable_cut() = cut_;
      AddToPrologue(packet);
    }
    if (!begins_file) {
      // The beginning of the file is lost. A segment before the gap, even if empty, shows that.
      if (Result<void> written = WritePrologueSegment(); !written) return written;
      ++next_sequence_;
    }
    for (size_t i = from; i < span_.first; ++i) {
      if (Result<void> added = AddDictionariesOf(span_.segments[i]); !added) return added;
      const uint64_t lost = RefOf(span_.segments[i + 1]).header.sequence -
                            RefOf(span_.segments[i]).header.sequence - 1;
      if (Result<void> skipped = SkipInPrologue(lost); !skipped) return skipped;
    }
    return FlushPrologue();
  }

  void StartPrologue() {
    prologue_.Clear();
    *prologue_.add_packet()->mutable_segment_start() = span_.segments[span_.first].start;
    prologue_bytes_ = 0;
  }

  void AddToPrologue(const Packet& packet) {
    *prologue_.add_packet() = packet;
    prologue_bytes_ += packet.ByteSizeLong() + kMostAroundPacket;
  }

  Result<void> FlushPrologue() {
    return prologue_.packet_size() > 1 ? WritePrologueSegment() : Result<void>();
  }

  Result<void> WritePrologueSegment() {
    Result<void> written = output_->AppendBody(NewHeader(), prologue_.SerializeAsString());
    ++next_sequence_;
    StartPrologue();
    return written;
  }

  // The same number of segments is lost here, and so is what they defined.
  Result<void> SkipInPrologue(uint64_t lost) {
    if (lost == 0) return {};
    Result<void> written = FlushPrologue();
    next_sequence_ += lost;
    return written;
  }

  Result<void> AddDictionariesOf(const SegmentFacts& facts) {
    std::vector<std::byte> body;
    if (const char* clause = loader_.Load(RefOf(facts), body)) return Changed(clause);
    PacketCursor cursor(body);
    Packet packet;
    PacketContext context;
    while (cursor.Next(packet, context)) {
      if (!IsDictionary(packet)) continue;
      packet.clear_time_delta_ns();
      AddToPrologue(packet);
      if (prologue_bytes_ < kTargetSegmentRawBytes) continue;
      if (Result<void> written = FlushPrologue(); !written) return written;
    }
    return {};
  }

  SegmentHeader HeaderOf(const SegmentRef& segment) const {
    SegmentHeader header = segment.header;
    header.recording_id = id_;
    header.deleted_for_full_disk = false;
    return header;
  }

  Result<void> CopyEvents() {
    const uint64_t first = RefOf(span_.segments[span_.first]).header.sequence;
    const uint64_t last = RefOf(span_.segments[span_.last]).header.sequence;
    const uint64_t base = next_sequence_;
    size_t known = span_.first;  // index into span_.segments
    for (size_t i = span_.segments[span_.first].segment; i <= span_.segments[span_.last].segment;
         ++i) {
      const SegmentRef& segment = index_.segments()[i];
      if (segment.lost) continue;
      while (span_.segments[known].segment < i) ++known;
      const bool is_known = span_.segments[known].segment == i;
      SegmentHeader header = HeaderOf(segment);
      header.sequence = base + (segment.header.sequence - first);
      header.file_number = segment.header.file_number - first_file_ + 1;
      header.oldest_file = 1;
      header.oldest_sequence = 0;
      last_file_ = header.file_number;
      const bool rewrites =
          is_known && (span_.segments[known].has_process || span_.segments[known].has_heap_files);
      if (Result<void> done = rewrites ? Rewrite(segment, header) : Copy(segment, header); !done) {
        return done;
      }
    }
    next_sequence_ = base + (last - first) + 1;
    return {};
  }

  Result<void> Copy(const SegmentRef& segment, const SegmentHeader& header) {
    if (!file_ || open_ != segment.file) {
      Result<FileReader> file = FileReader::Open(index_.paths()[segment.file]);
      if (!file) return file.error();
      file_ = std::move(file).value();
      open_ = segment.file;
    }
    frame_.resize(segment.header.compressed_bytes);
    if (file_->ReadAt(segment.offset + kSegmentHeaderBytes, frame_) < frame_.size() ||
        Crc32c(frame_) != segment.header.body_crc32c) {
      return Changed("the file changed while it was read");
    }
    return output_->Append(header, frame_);
  }

  // With corrected information about the recording as a whole.
  Result<void> Rewrite(const SegmentRef& segment, const SegmentHeader& header) {
    std::vector<std::byte> bytes;
    if (const char* clause = loader_.Load(segment, bytes)) return Changed(clause);
    hindsight::Recording body;
    if (!body.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return Changed("a segment cannot be parsed");
    }
    for (Packet& packet : *body.mutable_packet()) {
      if (packet.has_process()) *packet.mutable_process()->mutable_cut() = cut_;
      if (packet.has_heap_files()) {
        HeapFiles kept;
        for (const uint32_t number : packet.heap_files().number()) {
          if (span_.heap_files.contains(number)) kept.add_number(number);
        }
        *packet.mutable_heap_files() = kept;
      }
    }
    return output_->AppendBody(header, body.SerializeAsString());
  }

  // The span ended as requested, not because the process did.
  Result<void> WriteEnd() {
    const bool goes_on = span_.last + 1 < span_.segments.size();
    if (!goes_on) return {};
    hindsight::Recording body;
    const SegmentFacts& last = span_.segments[span_.last];
    SegmentStart& start = *body.add_packet()->mutable_segment_start();
    start.set_monotonic_ns(last.last_monotonic_ns);
    start.set_unix_ns(last.last_unix_ns);
    body.add_packet()->mutable_recording_end()->set_reason(RecordingEnd::CUT);
    SegmentHeader header = NewHeader();
    header.kind = SegmentKind::kLast;
    header.file_number = last_file_;
    return output_->AppendBody(header, body.SerializeAsString());
  }

  Result<void> CopyHeaps() {
    for (const SegmentRef& segment : index_.heap_segments()) {
      if (segment.lost || !span_.heaps.contains(segment.header.file_number)) continue;
      if (Result<void> copied = Copy(segment, HeaderOf(segment)); !copied) return copied;
    }
    return {};
  }

  Result<void> Finish() { return output_->Finish(); }

  std::string Name() const { return Printable(request_.paths[0]); }
  Error Changed(const char* clause) const {
    return {Name() + " cannot be cut: " + clause + "; try again."};
  }

  static constexpr size_t kMaxNameBytes = 255;
  static constexpr size_t kMostAroundPacket = 8;  // bytes: its tag and length

  const CutRequest& request_;
  const SegmentIndex& index_;
  const CutSpan& span_;
  SegmentLoader loader_;
  std::optional<FileReader> file_;
  uint32_t open_ = 0;
  std::vector<std::byte> frame_;

  Cut cut_;
  uint64_t id_ = 0;
  uint32_t first_file_ = 0, last_file_ = 1;
  uint64_t next_sequence_ = 0;
  hindsight::Recording prologue_;
  size_t prologue_bytes_ = 0;
  NewRecording* output_ = nullptr;
};

}  // namespace

Result<CutDone> CutRecording(const CutRequest& request, Progress* progress) {
  if (IsInside(request.output, request.paths)) {
    return Error{
        "The new recording cannot be inside the one that it is cut out of; choose another "
        "place than " +
            Printable(request.output) + ".",
        ExitCode::kUsage};
  }
  Result<Recording> recording = Recording::Open(request.paths, progress);
  if (!recording) return recording.error();
  if (!recording->integrity().has_events) {
    return Error{Printable(request.paths[0]) +
                 " contains only heap snapshots; copy the files that you want."};
  }
  const Result<CutSpan> span = FindCutSpan(request, *recording, progress);
  return span ? Cutter(request, recording->index(), *span).Run() : span.error();
}

}  // namespace hindsight::analyzer
