#include "analyzer/analyses/method_names.h"

#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {

const MethodNames::Names& MethodNames::Of(MethodId id) const {
  const auto [place, is_new] = methods_.try_emplace(id);
  if (is_new) {
    place->second = {MethodDisplayName(*dictionaries_, id), MethodRawName(*dictionaries_, id),
                     analyzer::IsStateMachine(*dictionaries_, id)};
  }
  return place->second;
}

const std::string& MethodNames::Type(TypeId id) const {
  const auto [place, is_new] = types_.try_emplace(id);
  if (is_new) {
    place->second = {TypeDisplayName(*dictionaries_, id),
                     std::string(dictionaries_->String(dictionaries_->type(id).name)), false};
  }
  return place->second.display;
}

const std::string& MethodNames::RawType(TypeId id) const {
  Type(id);
  return types_.at(id).raw;
}

}  // namespace hindsight::analyzer
