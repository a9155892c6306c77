// Cached names of methods and types, as reports show them.
#pragma once

#include <string>
#include <unordered_map>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

// Not thread-safe. References stay valid.
class MethodNames {
 public:
  // `dictionaries` must outlive this.
  explicit MethodNames(const Dictionaries& dictionaries) : dictionaries_(&dictionaries) {}

  const std::string& Display(MethodId id) const { return Of(id).display; }
  const std::string& Raw(MethodId id) const { return Of(id).raw; }
  bool IsStateMachine(MethodId id) const { return Of(id).is_state_machine; }
  const std::string& Type(TypeId id) const;
  const std::string& RawType(TypeId id) const;

 private:
  struct Names {
    std::string display;
    std::string raw;
    bool is_state_machine = false;
  };
  const Names& Of(MethodId id) const;

  const Dictionaries* dictionaries_;
  mutable std::unordered_map<MethodId, Names> methods_;
  mutable std::unordered_map<TypeId, Names> types_;
};

}  // namespace hindsight::analyzer
