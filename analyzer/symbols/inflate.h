// Raw deflate, which compresses a PDB that is embedded in its assembly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hindsight::analyzer::symbols {

// nullopt unless `deflated` is complete and yields exactly `size` bytes. Allocates nothing for a
// `size` that deflate cannot have compressed this far.
std::optional<std::string> Inflate(std::string_view deflated, uint32_t size);

}  // namespace hindsight::analyzer::symbols
