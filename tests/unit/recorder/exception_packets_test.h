// Exceptions as events, and what the recording then says about them.
//
// The runtime is never queried: code was "unloaded" after all these events, so only the numbers of
// types and frames are known. What depends on ids of methods (a rethrow against an await's restored
// exception inside a handler) is left to tests with a real runtime.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "recorder/sources/exceptions/exception_packets.h"
#include "tests/unit/recorder/output_test_support.h"
#include "tests/unit/recorder/packets_test.h"

namespace hindsight::recorder {

// A throw, as a test writes it.
struct Throw {
  uint64_t ordinal;
  uint64_t object = 0x1000;
  std::u16string message = u"m";
  uint32_t thread = 4'000'001;  // no kernel thread of this process
  uint64_t type = 0xA0;
  bool has_trace = false;
  uint64_t handler = 0;
  uint64_t during = 0;
  uint64_t cause = 0;
  uint64_t cause_type = 0;
  uint32_t collections = 0;
  std::vector<uintptr_t> frames = {};
  bool silent = false;
  bool mistrusted = false;
};

struct Read {
  std::map<uint64_t, hindsight::Exception> exceptions;  // by id
  std::map<uint64_t, std::vector<hindsight::Outcome>> outcomes;
  std::map<uint64_t, uint64_t> times;
  std::map<uint32_t, std::string> texts;
  std::vector<hindsight::Stack> stacks;
  std::map<uint32_t, hindsight::Frame> frames;
  std::map<uint32_t, uint32_t> threads;  // id -> kernel id
};

class ExceptionTrackerTest : public PacketsTest {
 protected:
  ExceptionTrackerTest() : PacketsTest(true) {}

  void Thrown(const Throw& thrown, uint64_t time_ns = 0) {
    const size_t tail = thrown.frames.size() * 8 + thrown.message.size() * 2;
    std::vector<uint64_t> memory((sizeof(ExceptionThrownEvent) + tail + 7) / 8);
    auto& event = *new (memory.data()) ExceptionThrownEvent{};
    event.header = {static_cast<uint16_t>(memory.size()), EventKind::kExceptionThrown,
                    thrown.thread, time_ns};
    event.ordinal = thrown.ordinal;
    event.during_ordinal = thrown.during;
    event.type = thrown.type;
    event.object = thrown.object;
    event.cause = thrown.cause;
    event.cause_type = thrown.cause_type;
    event.collections = thrown.collections;
    event.frames_inline = static_cast<uint32_t>(thrown.frames.size());
    event.message_units = static_cast<uint32_t>(thrown.message.size());
    event.has_trace = thrown.has_trace;
    event.handler_ordinal = thrown.handler;
    event.silent = thrown.silent;
    event.mistrusted = thrown.mistrusted;
    auto* at = reinterpret_cast<std::byte*>(&event + 1);
    for (const uintptr_t frame : thrown.frames) {
      std::memcpy(at, &frame, sizeof(frame));
      at += sizeof(frame);
    }
    std::memcpy(at, thrown.message.data(), thrown.message.size() * 2);
    packets_.Begin();
    tracker_->Consume(event.header, packets_);
  }

  void Ended(uint64_t ordinal, ExceptionEnd end = ExceptionEnd::kCaught, uint64_t time_ns = 0,
             uintptr_t handler_ip = 0, uint32_t thread = 4'000'001) {
    ExceptionEndedEvent event{};
    event.header = {sizeof(event) / 8, EventKind::kExceptionEnded, thread, time_ns};
    event.ordinal = ordinal;
    event.end = end;
    event.handler_ip = handler_ip;
    event.finally_count = 2;
    event.filter_count = 3;
    packets_.Begin();
    tracker_->Consume(event.header, packets_);
  }

  void Searched(uint64_t ordinal, bool found, uint64_t time_ns) {
    ExceptionSearchedEvent event{};
    event.header = {sizeof(event) / 8, EventKind::kExceptionSearched, 4'000'001, time_ns};
    event.ordinal = ordinal;
    event.found = found;
    packets_.Begin();
    tracker_->Consume(event.header, packets_);
  }

  void EndSegment(SegmentKind kind = SegmentKind::kData) {
    packets_.Begin();
    tracker_->Flush(packets_);
    ASSERT_TRUE(packets_.End(kind));
  }

  Read Close() {
    EndSegment(SegmentKind::kLast);
    EXPECT_TRUE(segments_.Close());
    EXPECT_EQ(packets_.oversized(), 0u);
    const ReadResult result = ReadRecording(segments_.path());
    EXPECT_EQ(result.faults, std::vector<std::string>());
    Read read;
    for (const ReadSegment& segment : result.segments) {
      uint64_t next_id = 0;
      uint64_t time = 0;
      for (const Packet& packet : segment.recording.packet()) {
        time += static_cast<uint64_t>(packet.time_delta_ns());
        if (packet.has_segment_start()) time = packet.segment_start().monotonic_ns();
        if (packet.has_string()) read.texts[packet.string().id()] = packet.string().value();
        if (packet.has_stack()) read.stacks.push_back(packet.stack());
        if (packet.has_frame()) read.frames[packet.frame().id()] = packet.frame();
        if (packet.has_thread()) read.threads[packet.thread().id()] = packet.thread().os_id();
        if (packet.has_exception_outcome()) {
          const auto& late = packet.exception_outcome();
          EXPECT_TRUE(read.exceptions.contains(late.id())) << "an outcome before its exception";
          read.outcomes[late.id()].push_back(late.outcome());
        }
        if (packet.has_exception()) {
          const uint64_t id = next_id + static_cast<uint64_t>(packet.exception().id_delta());
          EXPECT_TRUE(read.exceptions.emplace(id, packet.exception()).second) << "twice " << id;
          read.times[id] = time;
          next_id = id + 1;
        }
      }
    }
    return read;
  }

  // Two throws, and how the second was linked to the first.
  hindsight::Exception Second(const Throw& first, const Throw& second) {
    Thrown(first);
    Ended(first.ordinal);
    Thrown(second);
    Ended(second.ordinal);
    const Read read = Close();
    EXPECT_EQ(read.exceptions.size(), 2u);
    EXPECT_EQ(read.exceptions.at(1).previous_delta(), 0u);
    EXPECT_EQ(read.exceptions.at(1).hop(), HOP_NONE);
    return read.exceptions.at(2);
  }

  std::unique_ptr<ExceptionPackets> tracker_ =
      std::make_unique<ExceptionPackets>(dictionaries_, threads_);
};

}  // namespace hindsight::recorder
