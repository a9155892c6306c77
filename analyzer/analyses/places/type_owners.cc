#include "analyzer/analyses/places/type_owners.h"

#include <string_view>
#include <vector>

#include "analyzer/base/prefixes.h"

namespace hindsight::analyzer {
namespace {

constexpr int kMostRanks = 16;        // of element types
constexpr int kMostTypesLooked = 64;  // in total

TypeId InnermostElement(const Dictionaries& dictionaries, TypeId type) {
  for (int depth = 0; depth < kMostRanks && dictionaries.type(type).element != 0; ++depth) {
    type = dictionaries.type(type).element;
  }
  return type;
}

bool HasNameOfFramework(std::string_view name) {
  if (name.find('.') == std::string_view::npos && name.starts_with('<')) return false;
  return StartsWithAny(name, {"System.", "Microsoft.", "Internal.", "Interop", "MS."});
}

}  // namespace

bool TypeOwners::IsFramework(TypeId type) const {
  const Type& element = dictionaries_.type(InnermostElement(dictionaries_, type));
  const ModuleOwner owner =
      element.module == 0 ? ModuleOwner::kNotSeen : modules_.Of(element.module);
  if (owner == ModuleOwner::kFramework) return true;
  if (owner == ModuleOwner::kYours) return false;
  return HasNameOfFramework(dictionaries_.String(element.name));
}

bool TypeOwners::IsYours(TypeId type) const {
  const Type& element = dictionaries_.type(InnermostElement(dictionaries_, type));
  if (element.module != 0) return modules_.Of(element.module) == ModuleOwner::kYours;
  return !IsFramework(type);
}

bool TypeOwners::IsFrameworkAltogether(TypeId type) const {
  std::vector<TypeId> open{type};
  for (int looked = 0; !open.empty() && looked < kMostTypesLooked; ++looked) {
    const TypeId id = InnermostElement(dictionaries_, open.back());
    open.pop_back();
    if (!IsFramework(id)) return false;
    const std::vector<TypeId>& arguments = dictionaries_.type(id).arguments;
    open.insert(open.end(), arguments.begin(), arguments.end());
  }
  return true;
}

}  // namespace hindsight::analyzer
