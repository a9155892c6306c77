// Strings: duplicates, lengths, and what references them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

// A text that occurs more than once.
struct DuplicateString {
  std::string text;
  uint64_t length = 0;  // characters
  uint64_t objects = 0;
  uint64_t bytes = 0;   // of all
  uint64_t wasted = 0;  // of all but one
  std::string owner;    // whose field leads to most of them: Shop.Order._currency
  uint64_t owner_objects = 0;
};

struct StringLengthRow {
  uint64_t from = 0, to = 0;  // characters
  uint64_t objects = 0, bytes = 0;
};

struct StringOwnerRow {
  std::string owner;  // Shop.Order._currency
  uint64_t objects = 0, bytes = 0;
  uint64_t wasted = 0;  // by texts that other strings also have
};

struct StringReport {  // about reachable strings
  bool has_contents = false;
  uint64_t objects = 0, bytes = 0, characters = 0;
  // If contents were recorded:
  uint64_t distinct = 0;
  uint64_t wasted = 0;
  std::vector<DuplicateString> duplicates;  // most waste first, at most `top`
  uint64_t duplicate_texts = 0;             // all of them
  std::vector<StringLengthRow> lengths;     // ascending
  std::vector<StringOwnerRow> owners;       // most waste first, then most bytes; at most `top`
};

StringReport AnalyzeStrings(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                            size_t top);

}  // namespace hindsight::analyzer
