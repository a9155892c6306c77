// What the commands print. Text for people goes through Printable first: names and values come from
// other processes, and a terminal obeys what it is sent.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "recorder/contract/control.h"
#include "trigger/result.h"

namespace hindsight::trigger {

// Says what happened on stderr, and as JSON on stdout when asked to. Returns the failure's code.
ExitCode Report(const Failure& failure, bool json);

void PrintJson(const nlohmann::json& value);

// Numbers as numbers.
nlohmann::json ToJson(const contract::Reply& reply);

// "key   value" lines, keys in a column, bytes and nanoseconds as people read them.
void PrintFields(const contract::Reply& reply);

std::string HumanBytes(uint64_t bytes);
std::string HumanDuration(uint64_t nanoseconds);

}  // namespace hindsight::trigger
