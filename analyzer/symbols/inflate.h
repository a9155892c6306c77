// Raw deflate, as it wraps a PDB that is embedded in its assembly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hindsight::analyzer::symbols {

// Nothing unless `deflated` is whole and gives exactly `size` bytes. Takes no memory for a `size`
// that deflate cannot have packed so small.
std::optional<std::string> Inflate(std::string_view deflated, uint32_t size);

}  // namespace hindsight::analyzer::symbols
