// Source `requests`, with requests.routes=on, on the drain thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"

namespace hindsight::recorder {

// Converts `0.5=0.0012;0.95=0.2;0.99=1E-05`, in seconds, to nanoseconds; 0 for missing values. The
// runtime formats numbers by the process's culture: with a point or a comma.
std::array<uint64_t, 3> ParseQuantiles(std::u16string_view text);

class RequestDurationPackets final : public PacketSource {
 public:
  explicit RequestDurationPackets(DictionaryWriter& dictionaries) : dictionaries_(dictionaries) {}
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kRequestsMeasured};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  DictionaryWriter& dictionaries_;
};

}  // namespace hindsight::recorder
