#include "trigger/ipc/message.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "recorder/contract/text.h"

namespace hindsight::trigger::ipc {
namespace {

constexpr char kMagic[] = "DOTNET_IPC_V1";  // includes its final NUL
static_assert(sizeof kMagic == 14);

constexpr uint8_t kProfilerSet = 0x03;
constexpr uint8_t kAttachProfiler = 0x01;
constexpr uint8_t kProcessSet = 0x04;
constexpr uint8_t kProcessInfo2 = 0x04;
constexpr uint8_t kProcessInfo3 = 0x08;
constexpr uint8_t kServerSet = 0xff;
constexpr uint8_t kServerOk = 0x00;
constexpr uint8_t kServerError = 0xff;

void PutNumber(Bytes& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// False: not UTF-8.
bool PutString(Bytes& out, std::string_view utf8) {
  std::u16string units;
  while (!utf8.empty()) {
    const size_t length = contract::Utf8Length(utf8);
    if (length == 0) return false;
    const auto byte = [utf8](size_t i) { return static_cast<uint32_t>(uint8_t(utf8[i])); };
    uint32_t code = length == 1 ? byte(0) : byte(0) & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3f);
    if (code < 0x10000) {
      units += static_cast<char16_t>(code);
    } else {
      units += static_cast<char16_t>(0xd7c0 + (code >> 10));
      units += static_cast<char16_t>(0xdc00 + (code & 0x3ff));
    }
    utf8.remove_prefix(length);
  }
  if (!units.empty()) units += u'\0';
  PutNumber(out, units.size(), 4);
  for (const char16_t unit : units) PutNumber(out, unit, 2);
  return true;
}

Bytes Message(uint8_t set, uint8_t command, const Bytes& payload) {
  Bytes message(kMagic, kMagic + sizeof kMagic);
  PutNumber(message, kHeaderBytes + payload.size(), 2);
  message.push_back(set);
  message.push_back(command);
  PutNumber(message, 0, 2);
  message.insert(message.end(), payload.begin(), payload.end());
  return message;
}

// Reads from the front; once there are too few bytes, everything is 0 and ok() is false.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }

  uint64_t Number(size_t size) {
    const auto taken = Take(size);
    uint64_t value = 0;
    for (size_t i = taken.size(); i > 0; --i) value = value << 8 | taken[i - 1];
    return value;
  }

  Guid ReadGuid() {
    Guid guid = {};
    const auto taken = Take(guid.size());
    std::copy(taken.begin(), taken.end(), guid.begin());
    return guid;
  }

  // Unpaired surrogates become U+FFFD.
  std::string String() {
    const uint64_t count = Number(4);
    const auto taken = Take(count * 2);
    std::string utf8;
    for (size_t i = 0; i + 1 < taken.size(); i += 2) {
      uint32_t code = Unit(taken, i);
      if (code == 0) break;
      if (code >= 0xd800 && code < 0xdc00 && i + 3 < taken.size() &&
          (Unit(taken, i + 2) & 0xfc00) == 0xdc00) {
        code = 0x10000 + ((code - 0xd800) << 10) + (Unit(taken, i + 2) - 0xdc00);
        i += 2;
      } else if (code >= 0xd800 && code < 0xe000) {
        code = 0xfffd;
      }
      AppendUtf8(utf8, code);
    }
    return utf8;
  }

 private:
  static uint32_t Unit(std::span<const uint8_t> bytes, size_t at) {
    return static_cast<uint32_t>(bytes[at] | bytes[at + 1] << 8);
  }

  static void AppendUtf8(std::string& out, uint32_t code) {
    const auto put = [&out](uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6);
      put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      put(0xe0 | code >> 12);
      put(0x80 | (code >> 6 & 0x3f));
      put(0x80 | (code & 0x3f));
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
      put(0x80 | (code >> 6 & 0x3f));
      put(0x80 | (code & 0x3f));
    }
  }

  std::span<const uint8_t> Take(uint64_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::span<const uint8_t> bytes_;
  bool ok_ = true;
};

// The first three fields of a GUID are little-endian numbers; text has them big-endian.
constexpr std::array<uint8_t, 16> kTextOrder = {3, 2, 1,  0,  5,  4,  7,  6,
                                                8, 9, 10, 11, 12, 13, 14, 15};

bool IsDashBefore(size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<Guid> ParseGuid(std::string_view text) {
  if (text.size() == 38 && text.front() == '{' && text.back() == '}') text = text.substr(1, 36);
  if (text.size() != 36) return std::nullopt;
  Guid guid = {};
  for (size_t i = 0; i < guid.size(); ++i) {
    if (IsDashBefore(i)) {
      if (text[0] != '-') return std::nullopt;
      text.remove_prefix(1);
    }
    const int high = HexDigit(text[0]);
    const int low = HexDigit(text[1]);
    if (high < 0 || low < 0) return std::nullopt;
    guid[kTextOrder[i]] = static_cast<uint8_t>(high << 4 | low);
    text.remove_prefix(2);
  }
  return guid;
}

std::string FormatGuid(const Guid& guid) {
  std::string text = "{";
  for (size_t i = 0; i < guid.size(); ++i) {
    if (IsDashBefore(i)) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", guid[kTextOrder[i]]);
    text += digits;
  }
  return text + '}';
}

std::optional<Bytes> EncodeAttach(const AttachRequest& request) {
  Bytes payload;
  PutNumber(payload, request.timeout_ms, 4);
  payload.insert(payload.end(), request.profiler.begin(), request.profiler.end());
  if (!PutString(payload, request.path)) return std::nullopt;
  PutNumber(payload, request.client_data.size(), 4);
  payload.insert(payload.end(), request.client_data.begin(), request.client_data.end());
  if (kHeaderBytes + payload.size() > kMaxMessageBytes) return std::nullopt;
  return Message(kProfilerSet, kAttachProfiler, payload);
}

Bytes EncodeProcessInfo(int version) {
  return Message(kProcessSet, version >= 3 ? kProcessInfo3 : kProcessInfo2, {});
}

std::optional<size_t> MessageSize(std::span<const uint8_t> header) {
  if (header.size() < kHeaderBytes || std::memcmp(header.data(), kMagic, sizeof kMagic) != 0) {
    return std::nullopt;
  }
  const size_t size = static_cast<size_t>(header[14] | header[15] << 8);
  if (size < kHeaderBytes) return std::nullopt;
  return size;
}

std::optional<Answer> ParseAnswer(std::span<const uint8_t> message) {
  const std::optional<size_t> size = MessageSize(message);
  if (!size || *size != message.size() || message[16] != kServerSet) return std::nullopt;
  const uint8_t id = message[17];
  if (id != kServerOk && id != kServerError) return std::nullopt;
  Answer answer;
  answer.ok = id == kServerOk;
  const auto payload = message.subspan(kHeaderBytes);
  if (!answer.ok && payload.size() < 4) return std::nullopt;
  if (payload.size() >= 4) answer.hresult = static_cast<uint32_t>(Reader(payload).Number(4));
  answer.payload.assign(payload.begin(), payload.end());
  return answer;
}

std::optional<ProcessInfo> ParseProcessInfo(std::span<const uint8_t> payload, int version) {
  Reader reader(payload);
  const uint64_t layout = version >= 3 ? reader.Number(4) : 0;
  ProcessInfo info;
  info.pid = reader.Number(8);
  info.cookie = reader.ReadGuid();
  info.command_line = reader.String();
  info.os = reader.String();
  info.architecture = reader.String();
  info.entry_assembly = reader.String();
  info.runtime_version = reader.String();
  if (layout >= 1) info.portable_rid = reader.String();
  if (!reader.ok()) return std::nullopt;
  return info;
}

}  // namespace hindsight::trigger::ipc
