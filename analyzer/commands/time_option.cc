#include "analyzer/commands/time_option.h"

#include "analyzer/cli/times.h"

namespace hindsight::analyzer {

std::optional<int64_t> ParseTime(std::string_view text) {
  constexpr uint64_t kMaxNs = 366ull * 86'400 * 1'000'000'000;
  const std::optional<uint64_t> ns = cli::ParseDuration(text);
  if (!ns || *ns > kMaxNs) return std::nullopt;
  return static_cast<int64_t>(*ns);
}

}  // namespace hindsight::analyzer
