#include "tests/support/sample_recordings.h"

#include <string>

namespace hindsight::testing {
namespace {

constexpr uint64_t kMonotonicNs = 5'000'000'000;
constexpr uint64_t kUnixNs = 1'795'000'000'000'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr int kExceptionsPerSegment = 3;

class Sample {
 public:
  RecordingBuilder Build() {
    for (int file = 0; file < 3; ++file) {
      if (file > 0) builder_.NextFile();
      AddSegment(true);
      AddSegment(false);
      if (file == 1) {
        AddSegment(false);
      } else if (file == 2) {
        AddSegment(false, SegmentKind::kLast);
      }
    }
    return builder_;
  }

 private:
  void AddSegment(bool begins_file, SegmentKind kind = SegmentKind::kData) {
    Recording body;
    SegmentStart* start = body.add_packet()->mutable_segment_start();
    start->set_monotonic_ns(kMonotonicNs + segment_ * kSecond);
    start->set_unix_ns(kUnixNs + segment_ * kSecond);
    ++segment_;
    if (begins_file) {
      AddProcess(body);
      AddDictionaries(body);
    }
    for (int i = 0; i < kExceptionsPerSegment; ++i) AddException(body, i == 0);
    if (segment_ == 2) body.add_packet()->mutable_garbage_collection()->set_number(1);
    if (segment_ == 4) {
      Loss* loss = body.add_packet()->mutable_loss();
      loss->set_cause(Loss::STACK_UNKNOWN);
      loss->set_count(5);
    }
    if (segment_ == 5) body.add_packet()->mutable_recorder_note()->set_text("a note");
    if (kind == SegmentKind::kLast) AddEnd(body);
    builder_.AddSegment(body, kind);
  }

  static void AddProcess(Recording& body) {
    Process* process = body.add_packet()->mutable_process();
    process->set_pid(4711);
    process->set_application("Shop");
    process->add_command_line("dotnet");
    process->add_command_line("Shop.dll");
    process->set_runtime_version("10.0.12");
    process->set_recording_started_monotonic_ns(kMonotonicNs);
    process->add_source("exceptions");
    process->add_user_data("exception messages");
    process->set_architecture("x86_64");
    process->set_os("Linux 6.1");
    process->set_host("web-1");
    process->set_cpus(4);
    process->set_physical_memory_bytes(uint64_t{16} << 30);
    process->set_recorder_version("0.1.0");
    process->set_mode(Process::STARTUP);
  }

  static void AddDictionaries(Recording& body) {
    uint32_t id = 0;
    for (const char* text : {"System.InvalidOperationException", "Throw", "out of stock"}) {
      String* entry = body.add_packet()->mutable_string();
      entry->set_id(++id);
      entry->set_value(text);
    }
    Type* type = body.add_packet()->mutable_type();
    type->set_id(1);
    type->set_name(1);
    Method* method = body.add_packet()->mutable_method();
    method->set_id(1);
    method->set_name(2);
    Frame* frame = body.add_packet()->mutable_frame();
    frame->set_id(1);
    frame->set_method(1);
    Stack* stack = body.add_packet()->mutable_stack();
    stack->set_id(1);
    stack->set_frame(1);
    body.add_packet()->mutable_thread()->set_id(1);
  }

  void AddException(Recording& body, bool first) {
    Packet* packet = body.add_packet();
    packet->set_time_delta_ns(1'000'000);
    Exception* exception = packet->mutable_exception();
    ++exception_;
    // Relative to the id after the previous exception; to 0 at the start of a segment.
    exception->set_id_delta(first ? static_cast<int64_t>(exception_) : 0);
    exception->set_thread(1);
    exception->set_type(1);
    exception->set_message(3);
    exception->set_stack(1);
  }

  static void AddEnd(Recording& body) {
    Packet* cost = body.add_packet();
    cost->set_time_delta_ns(1'000'000);
    cost->mutable_recorder_cost()->set_callbacks(24);
    cost->mutable_recorder_cost()->set_callback_ns(8'000'000);
    cost->mutable_recorder_cost()->set_memory_bytes(1 << 20);
    body.add_packet()->mutable_recording_end()->set_reason(RecordingEnd::PROCESS_EXIT);
  }

  RecordingBuilder builder_;
  uint64_t segment_ = 0;
  uint64_t exception_ = 0;
};

}  // namespace

RecordingBuilder SampleRecording() { return Sample().Build(); }

}  // namespace hindsight::testing
