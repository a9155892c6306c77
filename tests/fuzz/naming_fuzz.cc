// Any bytes as names: never a crash, and a result linear in the input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/naming/field_names.h"
#include "analyzer/naming/method_names.h"
#include "analyzer/naming/type_names.h"

// The input: type, method and arguments, each ended by a line break.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace naming = hindsight::analyzer::naming;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> parts;
  while (!rest.empty() && parts.size() < 8) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  parts.resize(8);
  const std::span<const std::string> arguments(parts.begin() + 2, parts.begin() + 5);
  const std::span<const std::string> own(parts.begin() + 5, parts.end());
  const std::string type = naming::TypeName(parts[0], arguments);
  const std::string method = naming::MethodName(parts[0], arguments, parts[1], own).name;
  const std::string array = naming::ArrayName(type, static_cast<uint32_t>(size));
  // An arity of 256 takes 4 bytes, and is shown as 257 characters.
  const std::string field = naming::FieldName(parts[1]);
  if (type.size() + method.size() + array.size() + field.size() +
          naming::ShortTypeName(type).size() >
      512 * (size + 64)) {
    std::abort();
  }
  return 0;
}
