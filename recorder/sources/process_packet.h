// The packet that describes the recorded process; the second one of every file.
#pragma once

#include <cstdint>
#include <string>

#include "recorder/base/process_facts.h"
#include "recorder/contract/options.h"
#include "recorder/encode/packet_writer.h"

namespace hindsight::recorder {

using Mode = wire::Process::Mode;

struct ProcessPacket {
  const contract::Options& options;
  Mode mode;
  ProcessFacts facts;
  std::string runtime_version;
  uint64_t started_unix_ns = 0;  // the recording
  uint64_t started_ns = 0;

  void Write(PacketWriter& packets) const;
};

}  // namespace hindsight::recorder
