#include "analyzer/base/tool.h"

namespace hindsight::analyzer {

// None is started: what the tools do can be done by hand, with the scripts next to the CSV tables.
std::optional<std::string> FindTool(const std::string&) { return std::nullopt; }

Error MissingTool(const std::string& needs, const std::string&, const std::string& instead) {
  return Error{needs + ", which cannot be started from here on Windows. Instead, " + instead};
}

Result<int> RunTool(const std::vector<std::string>& command, const std::string&) {
  return Error{command.front() + " cannot be started from here on Windows."};
}

std::optional<std::string> FindSister(const std::string&) { return std::nullopt; }

Result<ToolAnswer> AskTool(const std::vector<std::string>& command, std::chrono::seconds) {
  return Error{command.front() + " cannot be started from here on Windows."};
}

Interruption::Interruption() = default;

Interruption::~Interruption() = default;

bool Interruption::HasCome() { return false; }

}  // namespace hindsight::analyzer
