// Writes a recording of many synthetic exceptions, to measure the cost of `hindsight exceptions`:
//   generate_exceptions 10000000 DIR && /usr/bin/time -v hindsight exceptions DIR
//
// 2,400 groups (200 paths of 24 frames, 12 types) on 16 threads; one throw in eight is a hop of an
// earlier one; one message in ten is unique. Every file contains a million throws and its own
// dictionaries.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>

#include "tests/support/recording_builder.h"

namespace {

using hindsight::Packet;
using hindsight::Recording;

constexpr uint64_t kStartMonotonic = 1'000'000'000'000;
constexpr uint64_t kStartUnix = 1'790'000'000'000'000'000;
constexpr uint64_t kPerSegment = 20'000;
constexpr uint64_t kPerFile = 1'000'000;
constexpr uint32_t kPaths = 200;
constexpr uint32_t kDepth = 24;
constexpr uint32_t kThreads = 16;
constexpr uint32_t kTypes = 12;
constexpr uint64_t kStepNs = 8'000;

class Generator {
 public:
  explicit Generator(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
  }

  void Write(uint64_t count) {
    for (uint64_t done = 0; done < count;) {
      const bool starts_file = done % kPerFile == 0;
      Recording body;
      StartSegment(body, done, starts_file);
      const uint64_t end = std::min(count, done + kPerSegment);
      for (; done < end; ++done) AddThrow(body);
      if (done == count) {
        body.add_packet()->mutable_recording_end()->set_reason(
            hindsight::RecordingEnd::PROCESS_EXIT);
      }
      hindsight::SegmentHeader header;
      header.kind = done == count ? hindsight::SegmentKind::kLast : hindsight::SegmentKind::kData;
      header.file_number = static_cast<uint32_t>((done - 1) / kPerFile + 1);
      header.recording_id = 42;
      header.sequence = sequence_++;
      file_ += hindsight::testing::EncodeSegment(header, body.SerializeAsString());
      if (done % kPerFile == 0 || done == count) {
        char name[32];
        std::snprintf(name, sizeof(name), "%06u.hsr", header.file_number);
        hindsight::testing::WriteFile(folder_ / name, file_);
        file_.clear();
      }
    }
  }

 private:
  uint32_t Text(Recording& body, const std::string& text) {
    hindsight::String* string = body.add_packet()->mutable_string();
    string->set_id(++strings_);
    string->set_value(text);
    return strings_;
  }

  void StartSegment(Recording& body, uint64_t done, bool starts_file) {
    hindsight::SegmentStart* start = body.add_packet()->mutable_segment_start();
    start->set_monotonic_ns(kStartMonotonic + done * kStepNs);
    start->set_unix_ns(kStartUnix + done * kStepNs);
    next_id_ = 0;
    if (!starts_file) return;
    strings_ = 0;
    hindsight::Process* process = body.add_packet()->mutable_process();
    process->set_pid(4242);
    process->set_application("Generated");
    process->set_runtime_version("10.0.0");
    process->set_recording_started_monotonic_ns(kStartMonotonic);
    process->set_recording_started_unix_ns(kStartUnix);
    process->add_source("exceptions");
    AddDictionaries(body);
  }

  void AddDictionaries(Recording& body) {
    for (uint32_t i = 1; i <= kThreads; ++i) {
      const uint32_t name = Text(body, ".NET TP Worker");
      hindsight::Thread* thread = body.add_packet()->mutable_thread();
      thread->set_id(i);
      thread->set_os_id(5000 + i);
      thread->set_name(name);
    }
    for (uint32_t i = 1; i <= kTypes; ++i) {
      const uint32_t name = Text(body, "Shop.Errors.Error" + std::to_string(i) + "Exception");
      hindsight::Type* type = body.add_packet()->mutable_type();
      type->set_id(i);
      type->set_name(name);
    }
    for (uint32_t path = 0; path < kPaths; ++path) {
      for (uint32_t depth = 0; depth < kDepth; ++depth) {
        const uint32_t id = path * kDepth + depth + 1;
        // The outer half of all paths is the same.
        const std::string owner = depth < kDepth / 2 ? "Host" : "Path" + std::to_string(path);
        const uint32_t name = Text(body, owner + "Step" + std::to_string(depth));
        hindsight::Method* method = body.add_packet()->mutable_method();
        method->set_id(id);
        method->set_name(name);
        hindsight::Frame* frame = body.add_packet()->mutable_frame();
        frame->set_id(id);
        frame->set_method(id);
        frame->set_address(0x7f0000000000 + id * 64);
        frame->set_il_offset(12);
        hindsight::Stack* stack = body.add_packet()->mutable_stack();
        stack->set_id(id);
        stack->set_parent(depth == 0 ? 0 : id - 1);
        stack->set_frame(id);
      }
    }
    for (uint32_t& message : messages_) {
      message = Text(body, "the usual failure number " + std::to_string(&message - messages_));
    }
  }

  void AddThrow(Recording& body) {
    const uint64_t id = ++last_id_;
    uint32_t message = messages_[random_() % std::size(messages_)];
    if (random_() % 10 == 0) message = Text(body, "order " + std::to_string(id) + " not found");
    Packet* packet = body.add_packet();
    packet->set_time_delta_ns(kStepNs);
    hindsight::Exception* exception = packet->mutable_exception();
    exception->set_id_delta(static_cast<int64_t>(id - next_id_));
    next_id_ = id + 1;
    exception->set_thread(static_cast<uint32_t>(random_() % kThreads) + 1);
    exception->set_type(static_cast<uint32_t>(random_() % kTypes) + 1);
    exception->set_message(message);
    const auto path = static_cast<uint32_t>(random_() % kPaths);
    exception->set_stack(path * kDepth + kDepth);
    if (id > 10 && random_() % 8 == 0) {
      exception->set_previous_delta(random_() % 3 + 1);
      exception->set_hop(hindsight::HOP_RESTORED);
    }
    hindsight::Outcome* outcome = exception->mutable_outcome();
    outcome->set_kind(hindsight::Outcome::CAUGHT);
    outcome->set_catcher(path * kDepth + 4);
    outcome->set_throw_to_end_ns(9'000 + random_() % 30'000);
  }

  std::filesystem::path folder_;
  std::string file_;
  std::mt19937_64 random_{7};
  uint64_t sequence_ = 0;
  uint64_t last_id_ = 0;
  uint64_t next_id_ = 0;
  uint32_t strings_ = 0;
  uint32_t messages_[16] = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: generate_exceptions COUNT FOLDER\n";
    return 64;
  }
  Generator(argv[2]).Write(std::strtoull(argv[1], nullptr, 10));
}
