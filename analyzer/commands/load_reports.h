// A recording with all that is known of it, for the commands that look at every signal.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "analyzer/analyses/overview/reports.h"
#include "analyzer/base/result.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct LoadedReports {
  std::unique_ptr<Model> model;  // null: these are files of heap snapshots alone
  std::unique_ptr<Heap> heap;    // the newest snapshot with objects; null: there is none
  Reports reports;               // refers to both
  // Sentences on what could not be read though it is there.
  std::vector<std::string> damages;
};

// An error if there is nothing to read. Shows how far it is.
Result<LoadedReports> LoadReports(std::span<const std::string> paths);

}  // namespace hindsight::analyzer
