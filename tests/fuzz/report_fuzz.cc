// From the packets of a body to every report on them: any bytes that pass the reader.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/analyses/exception_tree.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/threads.h"
#include "analyzer/analyses/timeline.h"
#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/cpu/cpu_report.h"
#include "analyzer/report/exceptions_json.h"
#include "analyzer/report/exceptions_text.h"
#include "analyzer/report/gc/gc_report.h"
#include "analyzer/report/threads_report.h"
#include "analyzer/report/timeline_report.h"
#include "tests/fuzz/data_segment.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace hindsight::analyzer;

void ExpectJson(const std::string& text) {
  if (!nlohmann::json::accept(text)) std::abort();
}

// Every way to fold the paths of samples.
void ReportCpu(const Model& model) {
  for (unsigned ways = 0; ways < 8; ++ways) {
    CpuQuery query;
    query.bottom_up = (ways & 1) != 0;
    query.paths.native = (ways & 2) != 0;
    query.paths.plumbing = (ways & 4) != 0;
    if (ways == 0) query.focus = "M";
    const CpuProfileReport report = AnalyzeCpu(model, query);
    CpuTextOptions options;
    options.by_thread = ways == 7;
    options.min_share = ways == 3 ? 0 : 0.01;
    CpuText(report, query, options);
    ExpectJson(CpuJson(report, query));
  }
}

void ReportAllocations(const Model& model) {
  for (const bool bottom_up : {false, true}) {
    AllocationQuery query;
    query.bottom_up = bottom_up;
    if (bottom_up) query.type = "S";
    const AllocationReport report = AnalyzeAllocations(model, query);
    AllocationsText(report, query, {});
    ExpectJson(AllocationsJson(report, query));
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = hindsight::fuzz::MemoryFile(hindsight::fuzz::DataSegment({data, size}));
  Result<Recording> recording = Recording::Open({&path, 1});
  if (!recording) std::abort();
  const auto model = BuildModel(*recording, {});
  if (!model) return 0;
  const ThreadReport threads = AnalyzeThreads(**model, {.unchanged_ns = 1});
  ThreadsText(threads, {}, {});
  ExpectJson(ThreadsJson(threads));
  ReportCpu(**model);
  const GcReport gc = AnalyzeGc(**model, {});
  GcText(gc, {});
  ExpectJson(GcJson(gc));
  ReportAllocations(**model);
  const Timeline timeline = BuildTimeline(**model, {});
  TimelineText(timeline, {});
  ExpectJson(TimelineJson(timeline));
  const ExceptionScope scope;
  const ExceptionReport report = AnalyzeExceptions(**model, {}, scope.from_ns, scope.to_ns);
  ExceptionsText(report, {});
  ExpectJson(ExceptionsJson(report, 0, 0));
  const ExceptionTree tree = BuildExceptionTree(report, 0);
  ExceptionTreeText(report, tree, {});
  ExpectJson(ExceptionTreeJson(report, tree));
  return 0;
}
