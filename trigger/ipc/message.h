// Encodes and decodes messages of the runtime's diagnostics port.
//
// From dotnet/diagnostics, documentation/design-docs/ipc-protocol.md: a header of 20 bytes {magic
// "DOTNET_IPC_V1\0", u16 size of the whole message, u8 command set, u8 command id, u16 reserved}
// and a payload, little-endian. A string is {u32 count, UTF-16 code units including a final NUL};
// an empty one has count 0 and no units. Replies have command set 0xff, id 0x00 (ok) or 0xff
// (error: the payload begins with an HRESULT).
//
// Pure functions: any thread. Input is not trusted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::trigger::ipc {

inline constexpr size_t kHeaderBytes = 20;
inline constexpr size_t kMaxMessageBytes = 65535;

using Bytes = std::vector<uint8_t>;
using Guid = std::array<uint8_t, 16>;  // as on the wire

struct Answer {
  bool ok = false;
  uint32_t hresult = 0;  // of an error, or the first four bytes of an ok payload, if any
  Bytes payload;
};

struct ProcessInfo {
  uint64_t pid = 0;  // in the process's own namespace
  Guid cookie = {};
  std::string command_line;
  std::string os;
  std::string architecture;
  std::string entry_assembly;
  std::string runtime_version;
  std::string portable_rid;  // "linux-musl-x64"; version 3 only
};

struct AttachRequest {
  uint32_t timeout_ms = 0;
  Guid profiler = {};
  std::string path;         // UTF-8
  std::string client_data;  // bytes
};

// "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}", the braces optional.
std::optional<Guid> ParseGuid(std::string_view text);
std::string FormatGuid(const Guid& guid);

// Empty: the path is not UTF-8, or the message is larger than kMaxMessageBytes.
std::optional<Bytes> EncodeAttach(const AttachRequest& request);
// `version`: 2 (.NET 6 and later) or 3 (.NET 8 and later).
Bytes EncodeProcessInfo(int version);

// The size of the whole message, from its header. Empty: not a header of this protocol.
std::optional<size_t> MessageSize(std::span<const uint8_t> header);
std::optional<Answer> ParseAnswer(std::span<const uint8_t> message);
std::optional<ProcessInfo> ParseProcessInfo(std::span<const uint8_t> payload, int version);

}  // namespace hindsight::trigger::ipc
