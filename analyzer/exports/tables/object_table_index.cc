#include "analyzer/exports/tables/object_table_index.h"

#include <algorithm>
#include <numeric>

#include "analyzer/exports/tables/cell_text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {

size_t ObjectTableIndex::FindType(std::string_view name) {
  const auto found = std::lower_bound(Named().begin(), Named().end(), name);
  return static_cast<size_t>(found != names_.end() && *found == name
                                 ? found - names_.begin()
                                 : names_.end() - names_.begin());
}

const std::vector<std::string>& ObjectTableIndex::Named() {
  if (!type_of_class_.empty() || graph().classes().empty()) return names_;
  std::vector<std::string> of_class;
  for (const HeapClass& one : graph().classes()) {
    of_class.push_back(CellText(TypeDisplayName(source.model->dictionaries, one.type)));
  }
  names_ = of_class;
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  for (const std::string& name : of_class) {
    const auto place = std::lower_bound(names_.begin(), names_.end(), name);
    type_of_class_.push_back(static_cast<uint32_t>(place - names_.begin()));
  }
  return names_;
}

void ObjectTableIndex::Sorted() {
  if (!begin_.empty()) return;
  begin_.assign(types() + 1, 0);
  for (ObjectId id = 0; id < graph().size(); ++id) ++begin_[TypeOf(id) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  by_type_.resize(graph().size());
  std::vector<uint32_t> next = begin_;
  for (ObjectId id = 0; id < graph().size(); ++id) by_type_[next[TypeOf(id)]++] = id;
}

}  // namespace hindsight::analyzer
