// sources and exit-codes: print the program's constant tables.
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "recorder/contract/catalogue.h"
#include "trigger/answers.h"
#include "trigger/commands/commands.h"
#include "trigger/hresult.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

int Width(std::string_view text) { return static_cast<int>(text.size()); }

void PrintSources() {
  for (const contract::SourceInfo& source : contract::Catalogue()) {
    std::printf("%.*s%s\n", Width(source.name), source.name.data(),
                source.IsOnByDefault() ? "" : " (off by default)");
    std::printf("  %.*s\n", Width(source.description), source.description.data());
    std::printf("  cost: %s\n", source.CostHere().c_str());
    std::printf("  %s\n", source.AllowedAfterAttach() ? "from the start, and by attach"
                                                      : "from the start only: use launch");
    for (const contract::Parameter& parameter : source.parameters) {
      std::printf("  %.*s.%.*s: %.*s; %.*s (default %.*s)\n", Width(source.name),
                  source.name.data(), Width(parameter.name), parameter.name.data(),
                  Width(parameter.description), parameter.description.data(),
                  Width(parameter.range), parameter.range.data(), Width(parameter.default_value),
                  parameter.default_value.data());
    }
  }
}

void PrintExitCodes() {
  std::map<TriggerExit, std::string> lines;  // in ascending order
  for (const ExitCodeInfo& info : ExitCodes()) lines[info.code] = info.meaning;
  for (const HresultInfo& info : Hresults()) {
    char value[16];
    std::snprintf(value, sizeof value, "0x%08x ", info.value);
    lines[ExitCodeOf(info)] = value + std::string(info.name);
  }
  for (const auto& [code, meaning] : lines) {
    std::printf("%4d  %s\n", static_cast<int>(code), meaning.c_str());
  }
}

void DescribeTable(cli::Command& command, void (*print)(), std::string (*as_json)()) {
  const auto as_asked = std::make_shared<bool>(false);
  AddJson(command, *as_asked);
  command.Runs([as_asked, print, as_json] {
    if (*as_asked) {
      std::fputs(as_json().c_str(), stdout);
    } else {
      print();
    }
    return TriggerExit::kOk;
  });
}

}  // namespace

void DescribeSources(cli::Command& command) {
  DescribeTable(command, PrintSources, [] { return SourcesJson(contract::Catalogue()); });
  command.Example("hindsight-trigger sources", "names for --sources, and parameters for --set");
  command.SeeAlso({"hindsight-trigger attach", "hindsight-trigger launch"});
}

void DescribeExitCodes(cli::Command& command) {
  DescribeTable(command, PrintExitCodes, ExitCodesJson);
  command.Example("hindsight-trigger exit-codes --json", "for scripts, with advice");
}

}  // namespace hindsight::trigger
