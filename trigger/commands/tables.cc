// sources and exit-codes: tables that the program knows by heart.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "recorder/contract/catalogue.h"
#include "trigger/commands/commands.h"
#include "trigger/hresult.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

using nlohmann::json;

int Width(std::string_view text) { return static_cast<int>(text.size()); }

void PrintSources() {
  for (const contract::SourceInfo& source : contract::Catalogue()) {
    std::printf("%.*s%s\n", Width(source.name), source.name.data(),
                source.on_by_default ? "" : " (off by default)");
    std::printf("  %.*s\n", Width(source.description), source.description.data());
    std::printf("  cost: %.*s\n", Width(source.cost), source.cost.data());
    std::printf("  %s\n", source.AllowedAfterAttach() ? "at start-up and by attach"
                                                      : "at start-up only: use launch");
    for (const contract::Parameter& parameter : source.parameters) {
      std::printf("  %.*s.%.*s: %.*s; %.*s (default %.*s)\n", Width(source.name),
                  source.name.data(), Width(parameter.name), parameter.name.data(),
                  Width(parameter.description), parameter.description.data(),
                  Width(parameter.range), parameter.range.data(), Width(parameter.default_value),
                  parameter.default_value.data());
    }
  }
}

json SourcesAsJson() {
  json list = json::array();
  for (const contract::SourceInfo& source : contract::Catalogue()) {
    json parameters = json::array();
    for (const contract::Parameter& parameter : source.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"default", parameter.default_value},
                            {"range", parameter.range},
                            {"description", parameter.description}});
    }
    list.push_back({{"name", source.name},
                    {"description", source.description},
                    {"cost", source.cost},
                    {"on_by_default", source.on_by_default},
                    {"attach", source.AllowedAfterAttach()},
                    {"parameters", parameters}});
  }
  return list;
}

void PrintExitCodes() {
  for (const ExitCodeInfo& info : ExitCodes()) {
    if (info.code == ExitCode::kCannotRun) break;
    std::printf("%4d  %.*s\n", static_cast<int>(info.code), Width(info.meaning),
                info.meaning.data());
  }
  for (const HresultInfo& info : Hresults()) {
    std::printf("%4d  0x%08x %.*s\n", static_cast<int>(ExitCodeOf(info)), info.value,
                Width(info.name), info.name.data());
  }
  for (const ExitCodeInfo& info : ExitCodes()) {
    if (info.code < ExitCode::kCannotRun) continue;
    std::printf("%4d  %.*s\n", static_cast<int>(info.code), Width(info.meaning),
                info.meaning.data());
  }
}

json ExitCodesAsJson() {
  json list = json::array();
  for (const ExitCodeInfo& info : ExitCodes()) {
    list.push_back({{"exit_code", static_cast<int>(info.code)}, {"meaning", info.meaning}});
  }
  for (const HresultInfo& info : Hresults()) {
    list.push_back({{"exit_code", static_cast<int>(ExitCodeOf(info))},
                    {"meaning", info.what},
                    {"next", info.next},
                    {"hresult", info.value},
                    {"name", info.name}});
  }
  return list;
}

void AddTable(CLI::App& program, const char* name, const char* description, void (*print)(),
              json (*as_json)(), ExitCode& result) {
  CLI::App* command = program.add_subcommand(name, description);
  auto as_asked = std::make_shared<bool>(false);
  command->add_flag("--json", *as_asked, "Print JSON");
  command->callback([as_asked, print, as_json, &result] {
    if (*as_asked) {
      PrintJson(as_json());
    } else {
      print();
    }
    result = ExitCode::kOk;
  });
}

}  // namespace

void AddSources(CLI::App& program, ExitCode& result) {
  AddTable(program, "sources", "Show what can be recorded, and what it costs", PrintSources,
           SourcesAsJson, result);
}

void AddExitCodes(CLI::App& program, ExitCode& result) {
  AddTable(program, "exit-codes", "Show what each exit code means", PrintExitCodes, ExitCodesAsJson,
           result);
}

}  // namespace hindsight::trigger
