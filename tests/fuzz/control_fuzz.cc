// Requests and replies of the control socket: what is accepted keeps its meaning when it is written
// again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "recorder/contract/control.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hindsight::contract;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Request request;
  if (ParseRequest(text, request) && FormatRequest(request) != text) std::abort();
  Reply reply;
  if (ParseReply(text, reply)) {
    const std::string formatted = FormatReply(reply);
    Reply again;
    if (!ParseReply(formatted, again) || again.ok != reply.ok) std::abort();
    if (formatted.size() > kMaxReplyBytes) std::abort();
  }
  TemporaryFolder(text);
  return 0;
}
