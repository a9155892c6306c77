#include "analyzer/exports/collapsed.h"

#include <map>
#include <string>
#include <vector>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string CollapsedName(std::string_view name) {
  std::string out;
  const std::string text = PrintableLines(name);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == ' ' && i > 0 && text[i - 1] == ',') continue;
    if (c <= ' ' || c == 0x7f) {
      out += '_';
    } else {
      out += c == ';' ? ':' : text[i];
    }
  }
  return out.empty() ? "?" : out;
}

}  // namespace

bool WriteCollapsed(const StackProfile& profile, const ByteSink& sink) {
  std::vector<std::string> names;
  for (const ProfileFrame& frame : profile.frames) names.push_back(CollapsedName(frame.name));
  std::vector<uint64_t> amounts(profile.nodes.size());
  for (const ProfileRow& row : profile.rows) amounts[row.node] += row.values[0];

  // Distinct frames may have the same name, so equal lines are added up.
  std::map<std::string, uint64_t> lines;
  for (uint32_t node = 1; node < profile.nodes.size(); ++node) {
    if (amounts[node] == 0) continue;
    const std::vector<uint32_t> path = profile.PathOf(node);
    std::string line;
    for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
      if (!line.empty()) line += ';';
      line += names[*frame];
    }
    lines[std::move(line)] += amounts[node];
  }
  for (const auto& [line, amount] : lines) {
    if (!sink(line + ' ' + std::to_string(amount) + '\n')) return false;
  }
  return true;
}

}  // namespace hindsight::analyzer
