#include "analyzer/cut/cut.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/cut/new_recording.h"
#include "analyzer/reader/files.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/read_bodies.h"
#include "analyzer/reader/segment_body.h"
#include "analyzer/reader/segment_index.h"
#include "analyzer/reader/segment_loader.h"
#include "proto/limits.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

// What a segment's packets tell.
struct SegmentFacts {
  size_t segment = 0;                 // index
  int64_t first_ns = 0, last_ns = 0;  // from the recording's start
  uint64_t last_monotonic_ns = 0, last_unix_ns = 0;
  SegmentStart start;
  bool has_process = false;
  bool has_heap_files = false;
};

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

int64_t Distance(uint64_t from, uint64_t to) { return static_cast<int64_t>(to - from); }

// One id for one cut of one recording, whoever makes it.
uint64_t IdOf(const Cut& cut) {
  uint64_t id = cut.recording_id();
  for (const uint64_t part : {cut.from_ns(), cut.to_ns(), uint64_t{1}}) {
    id = (id ^ part) * 0x9e3779b97f4a7c15u;
    id ^= id >> 29;
  }
  return id;
}

std::string LastPartOf(const std::string& path) {
  const fs::path whole = fs::path(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

// Whether `path` would be made inside one of the folders that are read.
bool IsInside(const std::string& path, std::span<const std::string> folders) {
  std::error_code error;
  const fs::path where = fs::weakly_canonical(fs::absolute(path, error), error);
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder, error)) continue;
    const fs::path whole = fs::canonical(folder, error);
    const auto parts = std::mismatch(whole.begin(), whole.end(), where.begin(), where.end());
    if (parts.first == whole.end()) return true;
  }
  return false;
}

class Cutter {
 public:
  Cutter(const CutRequest& request, SegmentIndex index, Progress* progress)
      : request_(request), progress_(progress), index_(std::move(index)), loader_(index_.paths()) {}

  Result<CutDone> Run() {
    LookAtSegments();
    if (Result<void> chosen = Choose(); !chosen) return chosen.error();
    if (Result<void> chosen = ChooseHeaps(); !chosen) return chosen.error();
    Result<NewRecording> output = NewRecording::Create(request_.output);
    if (!output) return output.error();
    output_ = &*output;
    Describe();
    for (const auto step : {&Cutter::WritePrologue, &Cutter::CopyEvents, &Cutter::WriteEnd,
                            &Cutter::CopyHeaps, &Cutter::Finish}) {
      if (Result<void> done = (this->*step)(); !done) return done.error();
    }
    done_.files = output->files();
    done_.bytes = output->bytes();
    return done_;
  }

 private:
  const SegmentRef& RefOf(const SegmentFacts& facts) const {
    return index_.segments()[facts.segment];
  }

  // Time 0 is that of BuildModel, so that a time means the same to all commands.
  void LookAt(const Packet& packet, const PacketContext& context, SegmentFacts& facts) {
    if (packet.has_process()) {
      facts.has_process = true;
      if (!process_) process_ = packet.process();
      if (!zero_ns_ && packet.process().recording_started_monotonic_ns() != 0) {
        zero_ns_ = packet.process().recording_started_monotonic_ns();
      }
    }
    if (packet.has_segment_start()) {
      facts.start = packet.segment_start();
    } else if (!zero_ns_) {
      zero_ns_ = context.monotonic_ns;
    }
    if (packet.has_heap_files()) {
      facts.has_heap_files = true;
      heap_files_.clear();
      heap_files_.insert(packet.heap_files().number().begin(), packet.heap_files().number().end());
    }
    if (!zero_ns_) return;
    const int64_t time_ns = Distance(*zero_ns_, context.monotonic_ns);
    facts.first_ns = std::min(facts.first_ns, time_ns);
    if (time_ns < facts.last_ns) return;
    facts.last_ns = time_ns;
    facts.last_monotonic_ns = context.monotonic_ns;
    facts.last_unix_ns = context.unix_ns;
  }

  void LookAtSegments() {
    Packet packet;
    PacketContext context;
    ForEachBody(index_, progress_, [&](const CheckedBody& body) {
      SegmentFacts facts;
      facts.segment = body.segment;
      facts.first_ns = INT64_MAX;
      facts.last_ns = INT64_MIN;
      PacketCursor cursor(body.bytes);
      while (cursor.Next(packet, context)) LookAt(packet, context, facts);
      if (facts.first_ns == INT64_MAX) return;  // nothing but its start, before anything else
      segments_.push_back(facts);
    });
    index_.Summarize();
  }

  std::string SpanText() const {
    const auto text = [](int64_t ns) { return FormatDuration(static_cast<uint64_t>(ns)); };
    if (request_.from_ns == INT64_MIN) return "before " + text(request_.to_ns);
    if (request_.to_ns == INT64_MAX) return "after " + text(request_.from_ns);
    return "between " + text(request_.from_ns) + " and " + text(request_.to_ns);
  }

  Result<void> Choose() {
    const auto is_in = [this](const SegmentFacts& facts) {
      return facts.last_ns >= request_.from_ns && facts.first_ns <= request_.to_ns;
    };
    const auto first = std::find_if(segments_.begin(), segments_.end(), is_in);
    if (first == segments_.end()) {
      if (segments_.empty()) return Error{Name() + " contains no events to cut."};
      const auto text = [](int64_t ns) {
        return FormatDuration(static_cast<uint64_t>(std::max<int64_t>(ns, 0)));
      };
      return Error{"Nothing was recorded " + SpanText() + ": " + Name() + " has events from " +
                       text(segments_.front().first_ns) + " to " + text(segments_.back().last_ns) +
                       " after its start.",
                   ExitCode::kUsage};
    }
    first_ = static_cast<size_t>(first - segments_.begin());
    last_ = segments_.size() - 1;
    while (!is_in(segments_[last_])) --last_;
    done_.first_ns = INT64_MAX;
    done_.last_ns = INT64_MIN;
    for (size_t i = first_; i <= last_; ++i) {
      done_.first_ns = std::min(done_.first_ns, segments_[i].first_ns);
      done_.last_ns = std::max(done_.last_ns, segments_[i].last_ns);
    }
    return {};
  }

  Result<void> ChooseHeaps() {
    if (index_.integrity().heaps.empty()) return {};
    const Result<std::vector<HeapFacts>> heaps = ListHeaps(request_.paths);
    if (!heaps) return {};  // nothing of them can be read
    const SegmentStart& start = segments_[first_].start;
    for (const HeapFacts& heap : *heaps) {
      // Both clocks of one moment: a snapshot is found by the time of day.
      const int64_t time_ns =
          Distance(start.unix_ns(), heap.unix_ns) + Distance(*zero_ns_, start.monotonic_ns());
      if (heap.unix_ns != 0 && time_ns >= request_.from_ns && time_ns <= request_.to_ns) {
        heaps_.insert(heap.number);
      } else {
        heap_files_.erase(heap.number);
      }
    }
    return {};
  }

  // What the new recording says of itself.
  void Describe() {
    Cut cut;
    cut.set_recording_id(index_.integrity().recording_id);
    cut.set_name(ValidUtf8(LastPartOf(request_.paths[0])).substr(0, kMaxNameBytes));
    cut.set_from_ns(static_cast<uint64_t>(std::max<int64_t>(request_.from_ns, 0)));
    cut.set_to_ns(request_.to_ns == INT64_MAX ? 0 : static_cast<uint64_t>(request_.to_ns));
    id_ = IdOf(cut);
    // Of a cut of a cut, the first whole one: times are still its.
    if (process_ && process_->has_cut()) {
      cut.set_recording_id(process_->cut().recording_id());
      cut.set_name(process_->cut().name());
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

  // Dictionary entries of the file in which the span begins, from before it.
  Result<void> WritePrologue() {
    const SegmentRef& first = RefOf(segments_[first_]);
    first_file_ = first.header.file_number;
    size_t from = first_;
    while (from > 0 && RefOf(segments_[from - 1]).header.file_number == first_file_) --from;
    const bool begins_file = index_.BeginsItsFile(segments_[from].segment);
    if (from == first_ && begins_file && segments_[first_].has_process) return {};

    StartPrologue();
    if (process_) {
      Packet packet;
      *packet.mutable_process() = *process_;
      *packet.mutable_process()->mutable_cut() = cut_;
      AddToPrologue(packet);
    }
    if (!begins_file) {
      // What the file began with is lost. A segment before the gap tells so, be it empty.
      if (Result<void> written = WritePrologueSegment(); !written) return written;
      ++next_sequence_;
    }
    for (size_t i = from; i < first_; ++i) {
      if (Result<void> added = AddDictionariesOf(segments_[i]); !added) return added;
      const uint64_t lost =
          RefOf(segments_[i + 1]).header.sequence - RefOf(segments_[i]).header.sequence - 1;
      if (Result<void> skipped = SkipInPrologue(lost); !skipped) return skipped;
    }
    return FlushPrologue();
  }

  void StartPrologue() {
    prologue_.Clear();
    *prologue_.add_packet()->mutable_segment_start() = segments_[first_].start;
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

  // As many segments are lost here: what they defined is.
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
    const uint64_t first = RefOf(segments_[first_]).header.sequence;
    const uint64_t last = RefOf(segments_[last_]).header.sequence;
    const uint64_t base = next_sequence_;
    size_t known = first_;  // in segments_
    for (size_t i = segments_[first_].segment; i <= segments_[last_].segment; ++i) {
      const SegmentRef& segment = index_.segments()[i];
      if (segment.lost) continue;
      while (segments_[known].segment < i) ++known;
      const bool is_known = segments_[known].segment == i;
      SegmentHeader header = HeaderOf(segment);
      header.sequence = base + (segment.header.sequence - first);
      header.file_number = segment.header.file_number - first_file_ + 1;
      header.oldest_file = 1;
      header.oldest_sequence = 0;
      last_file_ = header.file_number;
      const bool rewrites =
          is_known && (segments_[known].has_process || segments_[known].has_heap_files);
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

  // With what it says of the recording as a whole set right.
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
          if (heap_files_.contains(number)) kept.add_number(number);
        }
        *packet.mutable_heap_files() = kept;
      }
    }
    return output_->AppendBody(header, body.SerializeAsString());
  }

  // The span ends where it should, and not because the process did.
  Result<void> WriteEnd() {
    const bool goes_on = last_ + 1 < segments_.size();
    if (!goes_on) return {};
    hindsight::Recording body;
    const SegmentFacts& last = segments_[last_];
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
      if (segment.lost || !heaps_.contains(segment.header.file_number)) continue;
      if (Result<void> copied = Copy(segment, HeaderOf(segment)); !copied) return copied;
    }
    done_.snapshots = heaps_.size();
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
  Progress* const progress_;
  SegmentIndex index_;
  SegmentLoader loader_;
  std::optional<FileReader> file_;
  uint32_t open_ = 0;
  std::vector<std::byte> frame_;

  std::vector<SegmentFacts> segments_;  // those that can be read, in order
  std::optional<Process> process_;      // the first
  std::optional<uint64_t> zero_ns_;     // CLOCK_MONOTONIC of time 0
  size_t first_ = 0, last_ = 0;         // of segments_, those to copy
  std::set<uint32_t> heaps_;            // snapshots to copy
  std::set<uint32_t> heap_files_;       // that the new recording should have
  Cut cut_;
  uint64_t id_ = 0;
  uint32_t first_file_ = 0, last_file_ = 1;
  uint64_t next_sequence_ = 0;
  hindsight::Recording prologue_;
  size_t prologue_bytes_ = 0;
  NewRecording* output_ = nullptr;
  CutDone done_;
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
  Result<SegmentIndex> index = SegmentIndex::Build(request.paths, progress);
  if (!index) return index.error();
  if (!index->integrity().has_events) {
    return Error{Printable(request.paths[0]) +
                 " contains only heap snapshots; copy the files that you want."};
  }
  return Cutter(request, std::move(index).value(), progress).Run();
}

}  // namespace hindsight::analyzer
