#include "tests/support/documented_queries.h"

#include <sstream>

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

std::vector<std::string> DocumentedQueries(const std::string& file) {
  std::istringstream lines(ReadFile(file));
  std::vector<std::string> queries;
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```sql") {
      is_inside = true;
      queries.emplace_back();
    } else if (line == "```") {
      is_inside = false;
    } else if (is_inside) {
      queries.back() += line + "\n";
    }
  }
  return queries;
}

}  // namespace hindsight::testing
