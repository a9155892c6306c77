// JSON of results that are not described in fields yet. Keys keep their order; texts are made valid
// UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace hindsight::analyzer {

using Json = nlohmann::ordered_json;

// Version of all JSON: incremented when a key changes its meaning or is removed, not when one is
// added.
inline constexpr int kJsonSchema = 2;

Json JsonText(std::string_view text);

// Indented, with a final newline; safe on a terminal (EscapedJson).
std::string JsonDump(const Json& json);

}  // namespace hindsight::analyzer
