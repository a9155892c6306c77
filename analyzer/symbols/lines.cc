#include "analyzer/symbols/lines.h"

#include <algorithm>
#include <utility>

#include "analyzer/base/file_name.h"
#include "analyzer/base/text.h"
#include "analyzer/symbols/pdb_search.h"
#include "analyzer/symbols/source_link.h"

namespace hindsight::analyzer {
namespace {

using symbols::SequencePoint;

constexpr size_t kModulesNamed = 3;

// The assemblies that come with .NET: their PDBs are on Microsoft's symbol server, not next to
// them.
bool IsFramework(std::string_view file_name) {
  return file_name.starts_with("System.") || file_name.starts_with("Microsoft.");
}

// The first visible point, used for code before it.
const SequencePoint* FirstVisible(const std::vector<SequencePoint>& points) {
  const auto found = std::find_if(points.begin(), points.end(),
                                  [](const SequencePoint& point) { return point.line != 0; });
  return found == points.end() ? nullptr : &*found;
}

const SequencePoint* PointAt(const std::vector<SequencePoint>& points, uint32_t il_offset) {
  auto next = std::upper_bound(
      points.begin(), points.end(), il_offset,
      [](uint32_t offset, const SequencePoint& point) { return offset < point.il_offset; });
  while (next != points.begin()) {
    --next;
    if (next->line != 0) return &*next;
  }
  return FirstVisible(points);
}

// Modules for a sentence: of each, how many methods are without lines, most first.
struct Missing {
  std::vector<std::pair<size_t, std::string>> modules;
  size_t methods = 0;

  void Add(size_t count, std::string name) {
    methods += count;
    modules.emplace_back(count, std::move(name));
  }
  std::string Names() {
    std::stable_sort(modules.begin(), modules.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string names;
    for (size_t i = 0; i < std::min(modules.size(), kModulesNamed); ++i) {
      names += (i == 0 ? "" : ", ") + modules[i].second;
    }
    if (modules.size() > kModulesNamed) {
      names += " and " + Plural(modules.size() - kModulesNamed, "more module");
    }
    return names;
  }
};

}  // namespace

std::string LineLabel(const SourceLine& line) {
  if (!line.known()) return {};
  return std::string(FileName(line.file)) + ":" + std::to_string(line.line);
}

Lines::Lines(const Dictionaries& dictionaries, std::vector<std::string> folders)
    : dictionaries_(&dictionaries), folders_(std::move(folders)) {}

Lines::~Lines() = default;

Lines::ModuleLines& Lines::Load(ModuleId id) const {
  const auto [entry, is_new] = modules_.try_emplace(id);
  ModuleLines& lines = entry->second;
  const Module& module = dictionaries_->module(id);
  if (!is_new || id == 0 || module.is_native) return lines;
  symbols::FoundPdb found = symbols::FindPdb({.module_path = dictionaries_->String(module.path),
                                              .mvid = module.mvid,
                                              .pdb_id = module.pdb_id,
                                              .pdb_path = dictionaries_->String(module.pdb_path)},
                                             folders_);
  lines.pdb = std::move(found.pdb);
  lines.other_build = std::move(found.other_build);
  if (lines.pdb == nullptr) return lines;
  lines.link = symbols::SourceLink(lines.pdb->source_link());
  return lines;
}

const std::vector<SequencePoint>& Lines::PointsOf(ModuleLines& module, uint32_t token) const {
  const auto [entry, is_new] = module.methods.try_emplace(token);
  std::vector<SequencePoint>& points = entry->second;
  if (!is_new) return points;
  points = module.pdb->Points(token);
  if (points.size() > points_left_) points.clear();
  points_left_ -= points.size();
  if (!points.empty()) return points;
  const uint32_t move_next = module.pdb->MoveNextOf(token);
  if (move_next == 0) return points;
  const std::vector<SequencePoint> body = module.pdb->Points(move_next);
  if (const SequencePoint* first = FirstVisible(body)) points = {*first};
  return points;
}

SourceLine Lines::Of(MethodId id, int32_t il_offset) const {
  const Method& method = dictionaries_->method(id);
  if (il_offset < 0 || method.module == 0 || method.token == 0 || method.is_native) return {};
  ModuleLines& module = Load(method.module);
  if (module.pdb == nullptr) {
    module.unknown.insert(method.token);
    return {};
  }
  const SequencePoint* point =
      PointAt(PointsOf(module, method.token), static_cast<uint32_t>(il_offset));
  if (point == nullptr) return {};
  const auto [document, is_new] = module.documents.try_emplace(point->document);
  if (is_new) {
    document->second.path = module.pdb->DocumentPath(point->document);
    document->second.url = module.link.Url(document->second.path);
  }
  if (document->second.path.empty()) return {};
  return {document->second.path, document->second.url, point->line};
}

std::vector<std::string> Lines::Notes() const {
  Missing own, other_builds, framework;
  for (const auto& [id, module] : modules_) {
    if (module.unknown.empty()) continue;
    std::string name = Printable(FileName(dictionaries_->String(dictionaries_->module(id).path)));
    Missing& kind = IsFramework(name) ? framework : module.other_build.empty() ? own : other_builds;
    if (&kind == &other_builds) name += " (" + Printable(module.other_build) + ")";
    kind.Add(module.unknown.size(), std::move(name));
  }
  std::vector<std::string> notes;
  if (own.methods > 0) {
    notes.push_back("Source lines of " + Plural(own.methods, "method") +
                    " are unknown: no PDB for " + own.Names() +
                    "; give the folder of its build with --symbols.");
  }
  if (other_builds.methods > 0) {
    notes.push_back("Source lines of " + Plural(other_builds.methods, "method") +
                    " are unknown: the PDBs found belong to a different build: " +
                    other_builds.Names() + "; give the folder of that build with --symbols.");
  }
  if (framework.methods > 0) {
    notes.push_back("Source lines of " + Plural(framework.methods, "method") +
                    " of .NET itself are unknown: no PDB for " + framework.Names() +
                    "; dotnet-symbol downloads them, for --symbols.");
  }
  if (folders_.incomplete()) {
    notes.push_back("The --symbols folders have too many files; name folders further down.");
  }
  return notes;
}

}  // namespace hindsight::analyzer
