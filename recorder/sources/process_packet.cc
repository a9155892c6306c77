#include "recorder/sources/process_packet.h"

#include "recorder/contract/control.h"
#include "recorder/contract/text.h"

namespace hindsight::recorder {

void ProcessPacket::Write(PacketWriter& packets) const {
  using contract::RepairedUtf8;
  using contract::Source;
  packets.Write(PacketField::kProcess, kNoTime, [&](ProtoWriter& process) {
    process.Uint(1, facts.pid);
    process.Bytes(2, RepairedUtf8(facts.application));
    for (const std::string& argument : facts.command_line) {
      process.Bytes(3, RepairedUtf8(argument));
    }
    process.Bytes(4, runtime_version);
    process.Bytes(5, facts.architecture);
    process.Bytes(6, facts.os);
    process.Bytes(7, RepairedUtf8(facts.host));
    process.Uint(8, facts.cpus);
    process.Uint(9, facts.cgroup_memory_limit_bytes);
    process.Double(10, facts.cgroup_cpu_limit);
    process.Uint(11, facts.physical_memory_bytes);
    process.Fixed64(12, facts.started_unix_ns);
    process.Fixed64(13, started_unix_ns);
    process.Fixed64(14, started_ns);
    process.Uint(15, static_cast<uint32_t>(mode));
    process.Bytes(16, RepairedUtf8(contract::FormatOptions(options)));
    for (const contract::SourceInfo& source : contract::Catalogue()) {
      if (options.Has(source.id)) process.Bytes(17, source.name);
    }
    process.Bytes(18, contract::kVersion);
    for (const std::string& name : facts.environment_names) {
      process.Bytes(19, RepairedUtf8(name));
    }
    process.Bytes(20, "command line");
    process.Bytes(20, "environment variable names");
    process.Bytes(20, "thread names");
    if (options.Has(Source::kExceptions) && options.exception_messages) {
      process.Bytes(20, "exception messages");
    }
    if (!options.heap.values.empty()) {  // a snapshot can be requested in any recording
      process.Bytes(20, "field values");
    }
  });
}

}  // namespace hindsight::recorder
