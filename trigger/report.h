// What the commands print. Text goes through Printable first: names and values come from other
// processes, and a terminal interprets what it gets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "recorder/contract/control.h"
#include "trigger/result.h"

namespace hindsight::trigger {

// Prints what happened to stderr, and as JSON to stdout if requested. Returns the failure's code.
TriggerExit Report(const Failure& failure, bool json);

// "key   value" lines with aligned keys; bytes and nanoseconds in readable units.
void PrintFields(const contract::Reply& reply);

std::string HumanBytes(uint64_t bytes);
std::string HumanDuration(uint64_t nanoseconds);

}  // namespace hindsight::trigger
