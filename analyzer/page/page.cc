#include "analyzer/page/page.h"

#include <algorithm>
#include <future>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/exports/flame_data.h"
#include "analyzer/exports/html_document.h"
#include "analyzer/page/descriptions.h"
#include "analyzer/page/page_data.h"
#include "analyzer/page/page_files.h"
#include "analyzer/page/printable_json.h"

namespace hindsight::analyzer {
namespace {

struct ProfileKind {
  ProfileSignal signal;
  std::string_view name;  // in ids on the page: profile-cpu
  std::string_view title;
};
constexpr ProfileKind kProfiles[] = {
    {ProfileSignal::kCpu, "cpu", "CPU time"},
    {ProfileSignal::kAllocations, "allocations", "Allocations"},
    {ProfileSignal::kExceptions, "exceptions", "Exceptions"},
    {ProfileSignal::kLocks, "locks", "Waits for locks"},
};
constexpr ProfileKind kWallProfile = {ProfileSignal::kWall, "wall", "Wall-clock time"};

std::optional<StackProfile> ProfileOf(const Reports& reports, ProfileSignal signal,
                                      const std::optional<WallReport>& wall) {
  if (!reports.events) return {};
  const EventReports& events = *reports.events;
  StackProfile profile = BuildStackProfile(events.model, {.signal = signal,
                                                          .type_frames = true,
                                                          .exceptions = &events.exceptions,
                                                          .locks = &events.locks,
                                                          .wall = wall ? &*wall : nullptr});
  if (profile.totals[0] == 0) return {};
  return profile;
}

// The flame graphs, each in its own element, so that the page only reads what it shows. What only
// the earlier recording has is shown by itself. They are built on other threads.
class Profiles {
 public:
  // The arguments must outlive this.
  Profiles(const Reports& now, const Reports* before, const std::string& creator,
           const PageLimits& limits)
      : now_(now), before_(before), creator_(creator), limits_(limits) {
    for (const ProfileKind& kind : kProfiles) Start(kind, no_walls_);
  }

  // The one that is made of `walls`, which must outlive this.
  void StartWall(const PageWalls& walls) { Start(kWallProfile, walls); }

  bool Write(const ByteSink& sink) {
    return std::ranges::all_of(elements_, [&sink](auto& element) { return sink(element.get()); });
  }

 private:
  void Start(const ProfileKind& kind, const PageWalls& walls) {
    elements_.push_back(std::async([this, &kind, &walls] { return Element(kind, walls); }));
  }

  // Empty: there is nothing to show.
  std::string Element(const ProfileKind& kind, const PageWalls& walls) const {
    std::optional<StackProfile> profile = ProfileOf(now_, kind.signal, walls.now), baseline;
    if (before_ != nullptr) baseline = ProfileOf(*before_, kind.signal, walls.before);
    const bool is_earlier = !profile;
    if (is_earlier) profile = std::exchange(baseline, std::nullopt);
    if (!profile) return {};
    FlameSource base;
    if (baseline) base = {&before_->events->model, &*baseline};
    const FlameTree tree =
        BuildFlameTree({&(is_earlier ? *before_ : now_).events->model, &*profile}, base,
                       {.nodes = limits_.flame_nodes, .name_bytes = limits_.flame_name_bytes});
    std::string element = "<script id=\"profile-" + std::string(kind.name) + "\" class=\"profile" +
                          (is_earlier ? " earlier" : "") + "\" type=\"application/json\">\n";
    const ByteSink append = [&element](std::string_view bytes) {
      element += bytes;
      return true;
    };
    const ByteSink json = [&](std::string_view bytes) { return WriteWithoutTags(bytes, append); };
    WriteFlameData(tree, *profile, baseline ? &*baseline : nullptr,
                   {std::string(kind.title), creator_}, {}, json);
    return element + "</script>\n";
  }

  const Reports& now_;
  const Reports* const before_;
  const std::string& creator_;
  const PageLimits& limits_;
  const PageWalls no_walls_;
  std::vector<std::future<std::string>> elements_;
};

}  // namespace

void MakePrintable(Json& json) {
  if (auto* const text = json.get_ptr<Json::string_t*>()) *text = PrintableLines(*text);
  if (json.is_structured()) {
    for (Json& child : json) MakePrintable(child);
  }
}

PageFrame FrameWith(std::string_view script) {
  std::string head =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<style>\n";
  head += kReportStyle;
  std::string foot = "<script>\n";
  foot += script;
  return {std::move(head) + "</style>\n", std::move(foot) + "</script>\n"};
}

PageFrame FrameOfFile() { return FrameWith(ReportDescriptions() + std::string(kReportScript)); }

PageTotals WritePage(const PageRecording& now, const PageRecording* before,
                     const std::string& creator, const ByteSink& sink, const PageLimits& limits,
                     const PageFrame& frame) {
  PageTotals totals;
  const ByteSink counted = [&](std::string_view bytes) {
    totals.bytes += bytes.size();
    return sink(bytes);
  };
  const Reports* const earlier = before == nullptr ? nullptr : before->reports;
  Profiles profiles(*now.reports, earlier, creator, limits);
  const PageWalls walls(now, before, limits);
  profiles.StartWall(walls);
  Json page = PageData(now, before, walls, creator, limits);
  MakePrintable(page);
  const std::string data = EscapedJson(page.dump(-1, ' ', false, Json::error_handler_t::replace));
  HtmlDocument document(kReportPage, counted);
  totals.written = document.UpTo("{{head}}") && counted(frame.head) && document.UpTo("{{data}}") &&
                   WriteWithoutTags(data, counted) && document.UpTo("{{profiles}}") &&
                   profiles.Write(counted) && document.UpTo("{{foot}}") && counted(frame.foot) &&
                   document.Finish();
  return totals;
}

}  // namespace hindsight::analyzer
