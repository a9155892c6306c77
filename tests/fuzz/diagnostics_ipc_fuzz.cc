// Replies of a diagnostics port, which is not trusted.
#include <cstdint>
#include <cstdlib>

#include "trigger/ipc/message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hindsight::trigger::ipc;
  const std::span<const uint8_t> bytes(data, size);
  if (const auto answer = ParseAnswer(bytes)) {
    if (answer->payload.size() + kHeaderBytes != size) std::abort();
  }
  for (const int version : {2, 3}) {
    // Each UTF-16 unit becomes at most three bytes.
    if (const auto info = ParseProcessInfo(bytes, version)) {
      if (info->command_line.size() > 3 * size) std::abort();
    }
  }
  if (const auto guid = ParseGuid({reinterpret_cast<const char*>(data), size})) {
    if (ParseGuid(FormatGuid(*guid)) != guid) std::abort();
  }
  return 0;
}
