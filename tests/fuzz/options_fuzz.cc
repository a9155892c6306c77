// ParseOptions is total: any bytes give options that are read back, or one short, harmless
// sentence.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "recorder/contract/options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hindsight::contract;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Options options;
  const std::string error = ParseOptions(text, options);
  if (error.empty()) {
    const std::string formatted = FormatOptions(options);
    Options again;
    if (!ParseOptions(formatted, again).empty() || FormatOptions(again) != formatted) std::abort();
    Matches(options, text.substr(0, 256));
  } else {
    if (error.size() > 512) std::abort();
    for (const char c : error) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
    }
  }
  return 0;
}
