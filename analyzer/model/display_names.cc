#include "analyzer/model/display_names.h"

#include <algorithm>
#include <vector>

#include "analyzer/model/runtime_work.h"
#include "analyzer/naming/method_names.h"
#include "analyzer/naming/native_names.h"
#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer {
namespace {

constexpr int kMaxDepth = 16;           // of nested type arguments
constexpr size_t kMaxNameBytes = 4096;  // repeated nested arguments grow exponentially
constexpr size_t kMaxSharedArity = 32;
constexpr char kShared[] = "System.__Canon";  // any reference type: naming makes it T
// Of a name's arguments. Longer ones are replaced by outlines, because nobody reads a name of
// several lines, and as a whole if these are too long as well.
constexpr size_t kMaxArgumentBytes = 160;

enum class Form { kFull, kBrief };

std::string TypeDisplay(const Dictionaries& dictionaries, TypeId id, int depth,
                        Form form = Form::kFull);

std::vector<std::string> ArgumentNames(const Dictionaries& dictionaries,
                                       const std::vector<TypeId>& arguments, int depth,
                                       Form form = Form::kFull) {
  std::vector<std::string> names;
  names.reserve(arguments.size());
  for (const TypeId argument : arguments) {
    names.push_back(TypeDisplay(dictionaries, argument, depth + 1, form));
  }
  return names;
}

// `raw` without its namespace, unless TypeName recognizes the type by it.
std::string_view WithoutNamespace(std::string_view raw) {
  if (raw == "System.Nullable`1" || raw.starts_with("System.ValueTuple`")) return raw;
  const size_t name_end = raw.find_first_of("+<`");
  const size_t dot = raw.substr(0, name_end).rfind('.');
  return dot == std::string_view::npos || dot + 1 == raw.size() ? raw : raw.substr(dot + 1);
}

bool IsAsyncBox(std::string_view raw) {
  return raw.starts_with("System.Runtime.CompilerServices.") && raw.ends_with("StateMachineBox`1");
}

std::string BriefName(const Dictionaries& dictionaries, const Type& type, int depth) {
  const std::string_view raw = dictionaries.String(type.name);
  const auto arguments = ArgumentNames(dictionaries, type.arguments, depth, Form::kBrief);
  if (!arguments.empty()) {
    if (IsAsyncBox(raw)) return "async " + arguments.back();
    return naming::TypeName(WithoutNamespace(raw), arguments);
  }
  std::string full = naming::TypeName(raw);
  const bool is_keyword = full.find_first_of(".<") == std::string::npos;
  return is_keyword ? full : naming::TypeName(WithoutNamespace(raw));
}

// Without namespace, and without its own arguments: Cart<...>.
std::string Outline(const Dictionaries& dictionaries, TypeId id, int depth) {
  const Type& type = dictionaries.type(id);
  if (id == 0 || depth > kMaxDepth) return "?";
  if (type.element != 0 || type.rank != 0) {
    return naming::ArrayName(Outline(dictionaries, type.element, depth + 1), type.rank);
  }
  if (type.arguments.empty()) return BriefName(dictionaries, type, depth);
  const std::string_view raw = WithoutNamespace(dictionaries.String(type.name));
  if (raw == "System.Nullable`1") return Outline(dictionaries, type.arguments[0], depth + 1) + "?";
  if (raw.starts_with("System.ValueTuple`")) return "(...)";
  const std::vector<std::string> none(type.arguments.size());
  const std::string name = naming::TypeName(raw, none);
  return name.substr(0, name.find('<')) + "<...>";
}

// Of a name that is shown.
std::vector<std::string> ShownArguments(const Dictionaries& dictionaries,
                                        const std::vector<TypeId>& arguments) {
  const auto are_long = [](const std::vector<std::string>& names) {
    size_t bytes = 0;
    for (const std::string& name : names) bytes += name.size();
    return bytes > kMaxArgumentBytes;
  };
  std::vector<std::string> names = ArgumentNames(dictionaries, arguments, 0);
  if (!are_long(names)) return names;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != kShared) names[i] = Outline(dictionaries, arguments[i], 1);
  }
  if (are_long(names)) return {"..."};
  return names;
}

std::string TypeDisplay(const Dictionaries& dictionaries, TypeId id, int depth, Form form) {
  const Type& type = dictionaries.type(id);
  if (id == 0 || depth > kMaxDepth) return "?";
  std::string name;
  if (type.element != 0 || type.rank != 0) {
    name = naming::ArrayName(TypeDisplay(dictionaries, type.element, depth + 1, form), type.rank);
  } else {
    const std::string_view raw = dictionaries.String(type.name);
    if (raw.empty()) return "?";
    name = form == Form::kBrief
               ? BriefName(dictionaries, type, depth)
               : naming::TypeName(raw, depth == 0
                                           ? ShownArguments(dictionaries, type.arguments)
                                           : ArgumentNames(dictionaries, type.arguments, depth));
  }
  return name.size() <= kMaxNameBytes ? name : name.substr(0, kMaxNameBytes) + "...";
}

// Arguments of the type that declares a method. Code shared by instantiations has an open type on
// .NET 8 and 9, where the runtime does not say more, and one over System.__Canon on .NET 10: both
// get the same name.
std::vector<std::string> DeclaringArguments(const Dictionaries& dictionaries, const Type& type) {
  if (!type.arguments.empty()) return ShownArguments(dictionaries, type.arguments);
  size_t arity = 0;
  for (const naming::TypeSegment& segment : naming::SplitType(dictionaries.String(type.name))) {
    if (segment.arity > kMaxSharedArity) return {};
    arity += segment.arity;
  }
  return std::vector<std::string>(std::min(arity, kMaxSharedArity), kShared);
}

naming::MethodDisplay Display(const Dictionaries& dictionaries, const Method& method) {
  const Type& type = dictionaries.type(method.type);
  return naming::MethodName(dictionaries.String(type.name), DeclaringArguments(dictionaries, type),
                            dictionaries.String(method.name),
                            ShownArguments(dictionaries, method.arguments));
}

}  // namespace

std::string TypeDisplayName(const Dictionaries& dictionaries, TypeId id) {
  return TypeDisplay(dictionaries, id, 0);
}

std::string TypeBriefName(const Dictionaries& dictionaries, TypeId id) {
  return TypeDisplay(dictionaries, id, 0, Form::kBrief);
}

std::string MethodDisplayName(const Dictionaries& dictionaries, MethodId id) {
  if (id == 0) return "[native code]";
  const Method& method = dictionaries.method(id);
  if (IsRuntimeWork(dictionaries, method)) return std::string(dictionaries.String(method.name));
  if (method.is_native) {
    return naming::NativeName(dictionaries.String(dictionaries.module(method.module).path),
                              dictionaries.String(method.name));
  }
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
