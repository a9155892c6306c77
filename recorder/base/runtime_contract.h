// The layout of the runtime's own data structures, from the JSON description that .NET 9 and later
// export for debuggers (docs/design/datacontracts/contract-descriptor.md of dotnet/runtime).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hindsight::recorder {

// The loaded runtime's description; empty: it has none, or not in a known form. Valid for the life
// of the process. Takes the loader's lock.
std::string_view RuntimeContract();

// "types":{TYPE:{FIELD:offset, or [offset,"type"]}}: the offset. Empty: the description does not
// contain it. Pure.
std::optional<uint32_t> FieldOffset(std::string_view contract, std::string_view type,
                                    std::string_view field);
// "contracts":{NAME:version}: the version of the contract NAME. Empty: the description does not
// contain it.
std::optional<uint32_t> ContractVersion(std::string_view contract, std::string_view name);

}  // namespace hindsight::recorder
