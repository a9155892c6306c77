#include "analyzer/analyses/heap/targets.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/analyses/pattern.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMaxNearest = 5;
constexpr size_t kLeastDigits = 8;        // of an address without 0x
constexpr size_t kLongestCompared = 256;  // of names that may be misspelled

std::optional<uint64_t> ParseAddress(std::string_view text) {
  const bool has_prefix = text.starts_with("0x") || text.starts_with("0X");
  if (has_prefix) text.remove_prefix(2);
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (error != std::errc() || stop != end || (!has_prefix && text.size() < kLeastDigits)) {
    return std::nullopt;
  }
  return value;
}

std::string TypeName(const HeapModel& model, ObjectId id) {
  return TypeDisplayName(model.dictionaries, model.graph.classes()[model.graph.ClassOf(id)].type);
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// The number of insertions, deletions and replacements that turn one into the other.
size_t EditDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongestCompared);
  b = b.substr(0, kLongestCompared);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// The names most similar to `wanted`: those that contain it, then those with similar spelling.
std::vector<std::string> Nearest(const std::set<std::pair<std::string, std::string>>& names,
                                 std::string_view wanted) {
  std::string plain;
  for (const char c : wanted) {
    if (c != '*' && c != '?') plain += c;
  }
  plain = Lower(plain);
  const size_t dot = plain.rfind('.');
  const std::string last = dot == std::string::npos ? plain : plain.substr(dot + 1);
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const auto& [full, brief] : names) {
    const std::string low = Lower(full);
    if (!plain.empty() && low.find(plain) != std::string::npos) {
      ranked.emplace_back(low.size() - plain.size(), full);
      continue;
    }
    const size_t distance = EditDistance(Lower(brief), last);
    if (distance * 2 <= last.size()) ranked.emplace_back(1000 + distance, full);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> out;
  for (const auto& [rank, name] : ranked) {
    if (out.size() < kMaxNearest) out.push_back(name);
  }
  return out;
}

}  // namespace

std::string AddressText(uint64_t address) {
  char out[24];
  std::snprintf(out, sizeof out, "0x%012llx", static_cast<unsigned long long>(address));
  return out;
}

Result<ObjectId> FindObject(const HeapModel& model, std::string_view address) {
  const std::optional<uint64_t> value = ParseAddress(address);
  if (!value) {
    return Error{
        "\"" + Printable(address) +
            "\" is not an address; give one as other commands print it, such as 0x7f3a00001234.",
        ExitCode::kUsage};
  }
  const HeapGraph& graph = model.graph;
  const ObjectId found = graph.Find(*value);
  if (found != kNoObject) return found;
  std::string sentence = "There is no object at " + AddressText(*value) + ".";
  ObjectId first = 0;  // the first object after the address
  for (ObjectId count = graph.size(); count > 0;) {
    const ObjectId half = count / 2;
    if (graph.Address(first + half) < *value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  const auto name = [&](ObjectId id) {
    return AddressText(graph.Address(id)) + " (" + Printable(TypeName(model, id)) + ")";
  };
  if (first > 0) sentence += " The nearest below it is " + name(first - 1) + ".";
  if (first < graph.size()) sentence += " The nearest above it is " + name(first) + ".";
  return Error{sentence + " Collections move objects, so use an address from this snapshot.",
               ExitCode::kUnusableInput};
}

Result<HeapTargets> FindTargets(const HeapModel& model, std::string_view type_or_address) {
  HeapTargets targets;
  if (ParseAddress(type_or_address)) {
    const Result<ObjectId> object = FindObject(model, type_or_address);
    if (!object) return object.error();
    targets.object = *object;
    return targets;
  }
  const HeapGraph& graph = model.graph;
  const std::span<const HeapClass> classes = graph.classes();
  std::vector<bool> has_objects(classes.size());
  for (ObjectId id = 0; id < graph.size(); ++id) has_objects[graph.ClassOf(id)] = true;

  const bool is_pattern = type_or_address.find_first_of("*?") != std::string_view::npos;
  const std::string wanted = Lower(type_or_address);
  const auto matches = [&](const std::string& name) {
    return is_pattern ? MatchesPattern(type_or_address, name)
                      : name.size() == wanted.size() && Lower(name) == wanted;
  };
  targets.classes.resize(classes.size());
  std::set<std::pair<std::string, std::string>> names;
  bool found = false;
  for (ClassIndex i = 0; i < classes.size(); ++i) {
    if (!has_objects[i]) continue;
    std::string full = TypeDisplayName(model.dictionaries, classes[i].type);
    std::string brief = TypeBriefName(model.dictionaries, classes[i].type);
    if (matches(full) || matches(brief)) targets.classes[i] = found = true;
    names.emplace(std::move(full), std::move(brief));
  }
  if (found) return targets;
  std::string sentence = "No object has the type \"" + Printable(type_or_address) + "\".";
  const std::vector<std::string> nearest = Nearest(names, type_or_address);
  if (nearest.empty()) {
    sentence += " `hindsight heap` lists the types; * and ? stand for any text.";
  } else {
    sentence += " Did you mean ";
    for (size_t i = 0; i < nearest.size(); ++i) {
      if (i > 0) sentence += i + 1 == nearest.size() ? " or " : ", ";
      sentence += Printable(nearest[i]);
    }
    sentence += "?";
  }
  return Error{sentence, ExitCode::kUnusableInput};
}

}  // namespace hindsight::analyzer
