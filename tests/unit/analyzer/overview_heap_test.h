// What the overview finds in a heap made in memory.
#pragma once

#include <memory>
#include <utility>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {

struct Looked {
  std::unique_ptr<HeapModel> model;
  std::unique_ptr<RootPaths> paths;
  Dominators dominators;
  Reports reports;
  Overview overview;

  const Coverage& Of(Signal signal) const {
    return overview.coverage.at(static_cast<size_t>(signal));
  }
};

inline Looked Look(std::unique_ptr<HeapModel> model, const TaskAwaits* before = nullptr) {
  Looked out;
  out.model = std::move(model);
  out.paths = std::make_unique<RootPaths>(out.model->graph);
  out.dominators = ComputeDominators(out.model->graph);
  out.reports = MakeReports(
      nullptr, std::make_unique<HeapReports>(*out.model, *out.paths, out.dominators, before));
  out.overview = FindAll(out.reports);
  return out;
}

inline TaskAwaits AwaitsIn(const HeapModel& model) {
  const RootPaths paths(model.graph);
  return AwaitsOf(HeapWaits(model, paths));
}

// What a web server executes for the request that `handler` answers.
inline ObjectId AnswerRequest(testing::WaitScene& scene, ObjectId handler) {
  return scene.Async(
      "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol+<ProcessRequests>d__9",
      0, handler);
}

}  // namespace hindsight::analyzer
