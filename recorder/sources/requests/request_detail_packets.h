// Source `requests`, with requests.details=on, on the drain thread: combines what each request did,
// and writes it when the request has ended.
//
// Bounded: beyond kMaxRequests at a time, the oldest is given up; beyond kMaxParts kinds of parts
// in one request, or the limit for those of all requests under way, only sums are kept; what does
// not belong to a known request is summed up by segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/requests/request_detail_events.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class RequestDetailPackets final : public PacketSource {
 public:
  // The memory that parts of requests under way may have.
  static uint64_t MostPartBytes(const contract::Options& options) {
    const bool is_on = options.request_details != contract::RequestDetailsChoice::kOff;
    return is_on ? options.memory_limit_bytes / 8 : 0;
  }

  // `keeps_texts`: those of commands, in addition to their names.
  RequestDetailPackets(DictionaryWriter& dictionaries, ThreadRoster& threads, bool keeps_texts,
                       uint64_t most_part_bytes)
      : dictionaries_(dictionaries),
        threads_(threads),
        keeps_texts_(keeps_texts),
        most_part_bytes_(most_part_bytes) {}

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kRequestDetail};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  bool HasNews() override { return !ended_.empty() || !outside_.empty(); }
  void Flush(PacketWriter& packets) override;
  void WillEnd() override { is_ending_ = true; }
  uint64_t memory_bytes() const override;
  // Requests that were given up, and ends of requests whose beginning was not seen.
  uint64_t unpaired() const { return unpaired_; }

 private:
  using Kind = wire::RequestPart::Kind;

  static constexpr size_t kMaxRequests = 4096;  // under way
  static constexpr size_t kMaxCommands = 4096;  // under way
  static constexpr size_t kMaxNames = 4096, kMaxTexts = 16384;
  static constexpr size_t kMaxParts = 64;     // of a request
  static constexpr size_t kMaxTimes = 256;    // of a part
  static constexpr size_t kMaxOutside = 512;  // parts
  // How much events of different threads may be out of order.
  static constexpr uint64_t kLateNs = 5'000'000;
  static constexpr uint32_t kNoName = UINT32_MAX;

  struct Name {
    std::string what, text;
  };
  // Of a command that has begun.
  struct Place {
    uint32_t stack = 0;  // handle
    uint64_t at_ns = 0;
  };
  struct Command {
    Place place;
    uint64_t outer_scope = 0;  // of Entity Framework Core
    bool is_inner = false;     // the driver's, for one of Entity Framework Core
  };
  struct Part {
    Part(Kind its_kind, uint32_t its_name, const Place& its_place)
        : kind(its_kind), name(its_name), place(its_place) {}

    Kind kind;
    uint32_t name;
    Place place;                     // of the first one
    std::vector<int32_t> starts_us;  // since the request's start
    std::vector<uint32_t> lengths_us;
    uint64_t more_count = 0, more_ns = 0, failed = 0;
  };
  struct Request {
    uint64_t began_ns = 0;  // 0: not seen
    uint64_t matched_ns = 0, ended_ns = 0;
    uint32_t matched_thread = 0;  // the kernel's id
    uint16_t status = 0;
    std::string route;
    std::vector<Part> parts;
  };

  Request* Find(uint64_t span);
  void Begin(uint64_t span, uint64_t time_ns);
  void GiveUpOldest();
  void Erase(std::unordered_map<uint64_t, Request>::iterator request);
  static uint64_t BytesOf(const Part& part);
  void End(const RequestDetailEvent& event);
  static void Match(Request& request, const RequestDetailEvent& event);
  void BeginCommand(const RequestDetailEvent& event);
  void AddPart(const RequestDetailEvent& event);
  uint32_t NameOf(const RequestDetailEvent& event);
  uint32_t AddName(std::string what, std::string text);
  // Beyond `most`, one of each kind stands for all others.
  static Part& PartOf(std::vector<Part>& parts, Kind kind, uint32_t name, const Place& place,
                      size_t most);
  // Those that ended before this.
  void WriteEnded(uint64_t before_ns, PacketWriter& packets);
  void Write(const Request& request, PacketWriter& packets);
  // The dictionaries' ids of a part.
  struct Ids {
    uint32_t what, text, stack;
  };
  std::vector<Ids> IdsOf(const std::vector<Part>& parts);
  template <typename Message>
  static void WriteParts(const std::vector<Part>& parts, const std::vector<Ids>& ids,
                         Message& message);

  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
  const bool keeps_texts_;
  const uint64_t most_part_bytes_;
  uint64_t part_bytes_ = 0;  // of requests under way
  bool is_ending_ = false;
  uint64_t unpaired_ = 0;

  std::unordered_map<uint64_t, Request> requests_;   // under way, by span
  std::deque<std::pair<uint64_t, uint64_t>> begun_;  // when, and their spans; some are over
  std::deque<std::pair<uint64_t, uint64_t>> ended_;  // when, and their spans
  std::unordered_map<uint64_t, Command> commands_;   // under way
  // Those of Entity Framework Core among them that have not begun one of the driver's yet: the
  // latest in each span; without a span, on each thread (the kernel's id).
  std::unordered_map<uint64_t, uint64_t> outer_;
  std::vector<Part> outside_;
  std::vector<Name> names_;
  std::unordered_map<std::string, uint32_t> by_what_;
  std::unordered_map<uint64_t, uint32_t> by_text_;  // by hash of the original text
};

}  // namespace hindsight::recorder
