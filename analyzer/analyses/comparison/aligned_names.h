// Matches names between two recordings: equal ones, and those that differ only in
// compiler-generated numbers of lambdas and anonymous types, which change with every build.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer {

struct NamedRow {
  std::string name;
  // Of a numbered one, what it is known again by: names of its callers and of what it calls.
  std::vector<std::string> neighbours;
};

struct AlignedNames {
  std::vector<std::string> names;       // by id; as the later recording has them, if it does
  std::vector<uint32_t> before, after;  // ids, beside what was given
};

// Whether the compiler gave it a number: Shop.Cart.Add.lambda#2.
bool IsNumbered(std::string_view name);

// The same without its numbers, equal in all builds: Shop.Cart.Add.lambda#.
std::string WithoutNumbers(std::string_view name);

// Names are distinct in each list. Numbered ones of one method keep their order, since the compiler
// numbers from top to bottom; which of them is new, or gone, shows in the neighbors.
AlignedNames AlignNames(std::span<const NamedRow> before, std::span<const NamedRow> after);

}  // namespace hindsight::analyzer
