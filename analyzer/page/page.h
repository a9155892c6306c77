// The report: one recording, or an earlier and a later one, as one HTML file that needs nothing
// else: no network, no server, no script from anywhere.
//
// Data and page are separate. The data is JSON in elements of the document, which contains no `<`,
// whatever names a recording has: one object (page_data.h) with the commands' --json output, cut to
// the most significant rows, and one for each flame graph. The page is plain files that the build
// embeds: page.html, style/, script/ and drawings/, all scripts in one scope, in the order of
// CMakeLists.txt. Scripts only insert texts through textContent.
//
// A drawing has two parts. In C++ (NAME_data.h)
//   Json NameData(const Reports& now, const Reports* before);  // null: there is nothing to draw
// and its line in DrawingsOf (page_data.cc). In drawings/NAME.js
//   Drawings.NAME = (host, data) => { ... }
// which draws into `host`, an empty element in the section that has `drawing: 'NAME'`
// (script/sections_*.js); it is not called if the data is null. `data` is what the C++ part
// returned. The ids of its elements begin with its name. Colors are the variables of
// style/page.css; whatever draws with its own colors (a canvas) listens to Theme.onChange. The
// width of `host` is 330 to 1400 pixels and changes; the drawing chooses its height. In print, the
// page is light and nothing moves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/reports.h"
#include "analyzer/exports/byte_sink.h"

namespace hindsight::analyzer {

struct PageRecording {
  const Reports* reports = nullptr;
  std::string label;                     // as given by the user: for commands to paste
  std::span<const std::string> damages;  // sentences on what could not be read
};

// Limits for a page, so that it stays below 5 MB.
struct PageLimits {
  size_t findings = 60;
  size_t rows = 300;            // per table
  size_t exceptions = 120;      // groups; each with its stack and its hops
  size_t request_rows = 50;     // times in which most requests were in progress
  size_t flame_nodes = 12'000;  // per flame graph
  size_t flame_name_bytes = 300 << 10;
  uint32_t timeline_parts = 240;
  uint32_t lane_parts = 160;  // for what threads did over time
  size_t lanes = 40;          // threads for which that is shown
};

struct PageTotals {
  bool written = false;
  uint64_t bytes = 0;
};

// The style and script of a page: the ends of its <head> and its <body>, as HTML.
struct PageFrame {
  std::string head, foot;
};
// Both are inline, so that the page is one file.
PageFrame FrameOfFile();

// `before` may be null.
PageTotals WritePage(const PageRecording& now, const PageRecording* before,
                     const std::string& creator, const ByteSink& sink,
                     const PageLimits& limits = {}, const PageFrame& frame = FrameOfFile());

}  // namespace hindsight::analyzer
