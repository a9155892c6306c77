// `hindsight requests`: requests served, by route, and requests made, by server.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/requests.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/requests_report.h"

namespace hindsight::analyzer {
namespace {

struct RequestsOptions {
  std::vector<std::string> paths;
  RequestsTextOptions text;
  bool json = false;
};

ExitCode Run(const RequestsOptions& options) {
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const RequestReport report = AnalyzeRequests(**model);
  std::cout << (options.json
                    ? RequestsJson(report)
                    : RequestsText(report, options.text, DetectTextStyle(kStandardOutput)));
  return ExitCode::kOk;
}

}  // namespace

void DescribeRequests(cli::Command& command) {
  const auto options = std::make_shared<RequestsOptions>();
  AddRecording(command, options->paths);
  AddTop(command, options->text.top, "Routes and servers");
  AddJson(command, options->json);
  command.Example("hindsight requests shop.hindsight",
                  "which routes take the time, and which fail");
  command.SeeAlso({"hindsight timeline", "hindsight exceptions", "hindsight diff"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
