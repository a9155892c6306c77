#include "recorder/sources/process_packet.h"

#include "recorder/contract/control.h"
#include "recorder/contract/text.h"
#include "recorder/sources/compiler/inlining.h"

namespace hindsight::recorder {

void ProcessPacket::Write(PacketWriter& packets) const {
  using contract::RepairedUtf8;
  using contract::Source;
  packets.Write(wire::Packet::kProcess, kNoTime, [&](auto& process) {
    process.Set(process.kPid, facts.pid);
    process.Set(process.kApplication, RepairedUtf8(facts.application));
    for (const std::string& argument : facts.command_line) {
      process.Add(process.kCommandLine, RepairedUtf8(argument));
    }
    process.Set(process.kRuntimeVersion, runtime_version);
    process.Set(process.kArchitecture, facts.architecture);
    process.Set(process.kOs, facts.os);
    process.Set(process.kHost, RepairedUtf8(facts.host));
    process.Set(process.kCpus, facts.cpus);
    process.Set(process.kCgroupMemoryLimitBytes, facts.cgroup_memory_limit_bytes);
    process.Set(process.kCgroupCpuLimit, facts.cgroup_cpu_limit);
    process.Set(process.kPhysicalMemoryBytes, facts.physical_memory_bytes);
    process.Set(process.kStartedUnixNs, facts.started_unix_ns);
    process.Set(process.kRecordingStartedUnixNs, started_unix_ns);
    process.Set(process.kRecordingStartedMonotonicNs, started_ns);
    process.Set(process.kMode, mode);
    process.Set(process.kOptions, RepairedUtf8(contract::FormatOptions(options)));
    for (const contract::SourceInfo& source : contract::Catalogue()) {
      if (options.Has(source.id)) process.Add(process.kSource, source.name);
    }
    if (Inlining::Wanted(options)) process.Set(process.kInliningReported, true);
    process.Set(process.kRecorderVersion, contract::kVersion);
    for (const std::string& name : facts.environment_names) {
      process.Add(process.kEnvironmentName, RepairedUtf8(name));
    }
    process.Set(process.kOpenFilesLimit, facts.open_files_limit);
    for (const std::string& setting : facts.runtime_settings) {
      process.Add(process.kRuntimeSetting, RepairedUtf8(setting));
    }
    process.Add(process.kUserData, "command line");
    process.Add(process.kUserData, "environment variable names");
    process.Add(process.kUserData, "thread names");
    if (options.Has(Source::kExceptions) && options.exception_messages) {
      process.Add(process.kUserData, "exception messages");
    }
    if (options.Has(Source::kRequests) &&
        options.request_details == contract::RequestDetailsChoice::kTexts) {
      process.Add(process.kUserData, "texts of database commands");
    }
    if (!options.heap.values.empty()) {  // a snapshot can be requested in any recording
      process.Add(process.kUserData, "field values");
    }
  });
}

}  // namespace hindsight::recorder
