// Matches names between two recordings: equal ones; those that differ only in compiler-generated
// numbers of lambdas and anonymous types, which change with every build; and a method with its
// asynchronous counterpart (Add, AddAsync), if each is in one recording alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

struct NamedRow {
  std::string name;
  // For a numbered name: what identifies it, which is the names of its callers and callees.
  std::vector<std::string> neighbours;
  std::string build;  // likewise: the module version id of its code; empty: unknown
};

struct AlignedNames {
  std::vector<std::string> names;  // indexed by id; as in the later recording, if it is in there
  std::vector<uint32_t> before, after;  // ids, parallel to the arguments
};

// Whether the compiler gave it a number: Shop.Cart.Add.lambda#2.
bool IsNumbered(std::string_view name);

// The module version id of the method's code; empty: unknown.
const std::string& BuildOf(const Dictionaries& dictionaries, MethodId method);

// The name without these numbers, which is equal in all builds: Shop.Cart.Add.lambda#.
std::string WithoutNumbers(std::string_view name);

// Names must be distinct in each list. Numbered ones of one method keep their order, because the
// compiler numbers from top to bottom; the neighbors show which of them is new or gone. If both
// recordings are of one build, the numbers are the same in both.
AlignedNames AlignNames(std::span<const NamedRow> before, std::span<const NamedRow> after);

}  // namespace hindsight::analyzer
