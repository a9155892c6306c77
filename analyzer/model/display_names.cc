#include "analyzer/model/display_names.h"

#include <algorithm>
#include <vector>

#include "analyzer/naming/method_names.h"
#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer {
namespace {

constexpr int kMaxDepth = 16;           // of arguments within arguments
constexpr size_t kMaxNameBytes = 4096;  // arguments repeated within arguments grow exponentially
constexpr size_t kMaxSharedArity = 32;

std::string TypeDisplay(const Dictionaries& dictionaries, TypeId id, int depth);

std::vector<std::string> ArgumentNames(const Dictionaries& dictionaries,
                                       const std::vector<TypeId>& arguments, int depth) {
  std::vector<std::string> names;
  names.reserve(arguments.size());
  for (const TypeId argument : arguments) {
    names.push_back(TypeDisplay(dictionaries, argument, depth + 1));
  }
  return names;
}

std::string TypeDisplay(const Dictionaries& dictionaries, TypeId id, int depth) {
  const Type& type = dictionaries.type(id);
  if (id == 0 || depth > kMaxDepth) return "?";
  std::string name;
  if (type.element != 0 || type.rank != 0) {
    name = naming::ArrayName(TypeDisplay(dictionaries, type.element, depth + 1), type.rank);
  } else {
    const std::string_view raw = dictionaries.String(type.name);
    if (raw.empty()) return "?";
    name = naming::TypeName(raw, ArgumentNames(dictionaries, type.arguments, depth));
  }
  return name.size() <= kMaxNameBytes ? name : name.substr(0, kMaxNameBytes) + "...";
}

// Of the type that declares a method. Code that instantiations share has an open type on .NET 8 and
// 9, where the runtime does not say more, and one over System.__Canon on 10: the same name for
// both.
std::vector<std::string> DeclaringArguments(const Dictionaries& dictionaries, const Type& type) {
  if (!type.arguments.empty()) return ArgumentNames(dictionaries, type.arguments, 0);
  size_t arity = 0;
  for (const naming::TypeSegment& segment : naming::SplitType(dictionaries.String(type.name))) {
    if (segment.arity > kMaxSharedArity) return {};
    arity += segment.arity;
  }
  return std::vector<std::string>(std::min(arity, kMaxSharedArity), "System.__Canon");
}

naming::MethodDisplay Display(const Dictionaries& dictionaries, const Method& method) {
  const Type& type = dictionaries.type(method.type);
  return naming::MethodName(dictionaries.String(type.name), DeclaringArguments(dictionaries, type),
                            dictionaries.String(method.name),
                            ArgumentNames(dictionaries, method.arguments, 0));
}

}  // namespace

std::string TypeDisplayName(const Dictionaries& dictionaries, TypeId id) {
  return TypeDisplay(dictionaries, id, 0);
}

std::string MethodDisplayName(const Dictionaries& dictionaries, MethodId id) {
  if (id == 0) return "[native code]";
  const Method& method = dictionaries.method(id);
  const std::string name = Display(dictionaries, method).name;
  if (name.empty()) return "?";
  return method.is_dynamic ? "[dynamic] " + name : name;
}

std::string MethodRawName(const Dictionaries& dictionaries, MethodId id) {
  if (id == 0) return {};
  const Method& method = dictionaries.method(id);
  std::string name(dictionaries.String(dictionaries.type(method.type).name));
  if (!name.empty()) name += '.';
  name += dictionaries.String(method.name);
  return name;
}

bool IsStateMachine(const Dictionaries& dictionaries, MethodId id) {
  return id != 0 && Display(dictionaries, dictionaries.method(id)).is_state_machine;
}

}  // namespace hindsight::analyzer
