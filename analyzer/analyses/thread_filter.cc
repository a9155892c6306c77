#include "analyzer/analyses/thread_filter.h"

#include <string>

#include "analyzer/analyses/pattern.h"

namespace hindsight::analyzer {

bool MatchesThread(const Model& model, ThreadIndex index, std::string_view wanted) {
  if (wanted.empty()) return true;
  const ThreadInfo& thread = model.threads[index];
  if (wanted.find_first_not_of("0123456789") == std::string_view::npos) {
    return std::to_string(thread.os_id) == wanted || std::to_string(thread.id) == wanted;
  }
  const std::string_view name = model.dictionaries.String(thread.name);
  return !name.empty() && MatchesPattern(wanted, name);
}

}  // namespace hindsight::analyzer
