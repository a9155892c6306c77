#include "analyzer/exports/speedscope.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "analyzer/exports/json_stream.h"

namespace hindsight::analyzer {
namespace {

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const StackProfile& profile, const ByteSink& sink)
      : profile_(profile), out_(sink) {}

  void Frames(const Model& model) {
    const Dictionaries& dictionaries = model.dictionaries;
    out_.Raw("\"shared\":{\"frames\":[");
    for (size_t i = 1; i < profile_.frames.size(); ++i) {
      const ProfileFrame& frame = profile_.frames[i];
      out_.Raw(i > 1 ? ",\n{\"name\":" : "\n{\"name\":");
      out_.Text(frame.name);
      const Method& method = dictionaries.method(frame.method);
      const std::string_view file = dictionaries.String(dictionaries.module(method.module).path);
      if (!file.empty()) {
        out_.Raw(",\"file\":");
        out_.Text(file);
      }
      out_.Raw("}");
    }
    out_.Raw("]},\n");
  }

  void Profile(const std::string& name, std::span<const ProfileRow> rows) {
    out_.Raw("{\"type\":\"sampled\",\"name\":");
    out_.Text(name);
    out_.Raw(",\"unit\":\"");
    const ProfileUnit unit = profile_.measures[0].unit;
    out_.Raw(unit == ProfileUnit::kCount ? "none" : UnitName(unit));
    out_.Raw("\",\"startValue\":0,\"endValue\":");
    uint64_t total = 0;
    for (const ProfileRow& row : rows) total += row.values[0];
    out_.Number(total);
    out_.Raw(",\"samples\":[");
    Samples(rows);
    out_.Raw("],\n\"weights\":[");
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) out_.Raw(",");
      out_.Number(rows[i].values[0]);
    }
    out_.Raw("]}");
  }

  JsonStream& out() { return out_; }

 private:
  void Samples(std::span<const ProfileRow> rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      out_.Raw(i > 0 ? ",\n[" : "\n[");
      const std::vector<uint32_t> path = profile_.PathOf(rows[i].node);
      for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
        if (frame != path.rbegin()) out_.Raw(",");
        out_.Number(*frame - 1);
      }
      out_.Raw("]");
    }
  }

  const StackProfile& profile_;
  JsonStream out_;
};

}  // namespace

SpeedscopeTotals WriteSpeedscope(const Model& model, const StackProfile& profile,
                                 const ExportFacts& facts, const ByteSink& sink) {
  SpeedscopeWriter writer(profile, sink);
  JsonStream& out = writer.out();
  out.Raw("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"name\":");
  out.Text(facts.title);
  out.Raw(",\"exporter\":");
  out.Text(facts.creator);
  out.Raw(",\"activeProfileIndex\":0,\n");
  writer.Frames(model);
  out.Raw("\"profiles\":[\n");

  // All threads together, then the threads by their share.
  const std::span<const ProfileRow> rows(profile.rows);
  struct Part {
    std::span<const ProfileRow> rows;
    uint64_t amount;
  };
  std::vector<Part> parts;
  for (size_t i = 0; i < rows.size();) {
    const size_t first = i;
    uint64_t amount = 0;
    for (; i < rows.size() && rows[i].thread == rows[first].thread; ++i) {
      amount += rows[i].values[0];
    }
    parts.push_back({rows.subspan(first, i - first), amount});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.amount > b.amount; });
  SpeedscopeTotals totals;
  totals.profiles = 1;
  totals.amount = profile.totals[0];
  const bool has_threads = parts.size() > 1;
  writer.Profile(has_threads || parts.empty() || rows[0].thread == 0
                     ? facts.title
                     : ThreadTitle(model, rows[0].thread),
                 rows);
  for (const Part& part : parts) {
    if (!has_threads) break;
    out.Raw(",\n");
    writer.Profile(ThreadTitle(model, part.rows[0].thread), part.rows);
    ++totals.profiles;
  }
  out.Raw("]}\n");
  totals.written = out.Finish();
  return totals;
}

uint64_t SpeedscopeNumbers(const StackProfile& profile) {
  std::vector<uint32_t> depths(profile.nodes.size());
  for (size_t node = 1; node < depths.size(); ++node) {
    depths[node] = depths[profile.nodes[node].parent] + 1;
  }
  uint64_t numbers = 0;
  for (const ProfileRow& row : profile.rows) numbers += depths[row.node];
  return numbers;
}

}  // namespace hindsight::analyzer
