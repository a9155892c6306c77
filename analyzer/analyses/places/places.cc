#include "analyzer/analyses/places/places.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "analyzer/base/prefixes.h"
#include "analyzer/model/display_names.h"
#include "analyzer/naming/method_names.h"

namespace hindsight::analyzer {
namespace {

// Types of ASP.NET Core 8 to 10 that call the next part of a request's pipeline, including their
// nested types, but not the handlers' own helpers (binding, results).
constexpr std::string_view kPipelineTypes[] = {
    "Microsoft.AspNetCore.Builder.",
    "Microsoft.AspNetCore.Hosting.",
    "Microsoft.AspNetCore.Http.RequestDelegate",
    "Microsoft.AspNetCore.Mvc.Controllers.",
    "Microsoft.AspNetCore.Mvc.Filters.",
    "Microsoft.AspNetCore.Mvc.Infrastructure.",
    "Microsoft.AspNetCore.Routing.",
    "Microsoft.AspNetCore.Server.",
    "Microsoft.AspNetCore.SignalR.Internal.",
};

// Throws on behalf of its caller.
bool IsThrowHelper(std::string_view type, std::string_view method) {
  return type.ends_with("ThrowHelper") || type.ends_with("ThrowHelpers") ||
         method.starts_with("Throw");
}

}  // namespace

Places::Places(const Dictionaries& dictionaries, std::string_view application)
    : dictionaries_(dictionaries), kinds_(dictionaries, application) {}

bool Places::IsPipeline(MethodId id) {
  const auto [at, is_new] = pipeline_.try_emplace(id, false);
  if (!is_new) return at->second;
  const std::string_view type =
      dictionaries_.String(dictionaries_.type(dictionaries_.method(id).type).name);
  at->second = StartsWithAny(type, kPipelineTypes) ||
               (type.find("Middleware") != type.npos && !kinds_.IsYours(id));
  return at->second;
}

bool Places::IsLeftOut(MethodId id) {
  if (id == 0) return true;
  const CodeKind kind = kinds_.CodeOf(id);
  const Method& method = dictionaries_.method(id);
  return IsNative(kind) || IsFolded(kind) || kind == CodeKind::kPool || method.is_plumbing ||
         method.is_dynamic;
}

bool Places::IsStateMachine(MethodId id) {
  const auto [at, is_new] = state_machines_.try_emplace(id, false);
  if (is_new) at->second = analyzer::IsStateMachine(dictionaries_, id);
  return at->second;
}

std::span<const MethodId> Places::BeforeResume(std::span<const MethodId> path) {
  MethodId inner = 0;  // the previous managed frame
  for (size_t i = 0; i < path.size(); ++i) {
    if (kinds_.CodeOf(path[i]) == CodeKind::kAsyncResume && IsStateMachine(inner)) {
      return path.first(i);
    }
    if (!IsNative(kinds_.CodeOf(path[i]))) inner = path[i];
  }
  return path;
}

Place Places::Find(std::span<const MethodId> path) {
  Place of_package, of_framework;
  MethodId through = 0;
  for (const MethodId id : BeforeResume(path)) {
    if (IsLeftOut(id)) continue;
    if (kinds_.IsYours(id)) {
      // Frames further out pass the request on as well.
      if (through != 0 && IsPipeline(through)) break;
      return {id, through, true};
    }
    const Method& method = dictionaries_.method(id);
    const bool is_helper = IsThrowHelper(dictionaries_.String(dictionaries_.type(method.type).name),
                                         dictionaries_.String(method.name));
    if (!is_helper && of_framework.site == 0) of_framework = {id, 0, false};
    if (of_package.site == 0 && kinds_.Of(id) == FrameKind::kPackage) {
      of_package = {id, through, false};
    }
    through = id;
  }
  if (of_package.site != 0) return of_package;
  if (of_framework.site != 0) return of_framework;
  // Only helpers, machinery, dynamic or native code.
  const auto first = std::find_if(path.begin(), path.end(),
                                  [this](MethodId id) { return id != 0 && !IsLeftOut(id); });
  if (first != path.end()) return {*first, 0, false};
  const auto known = std::find_if(path.begin(), path.end(), [&](MethodId id) {
    return id != 0 && !dictionaries_.method(id).is_plumbing;
  });
  if (known != path.end()) return {*known, 0, false};
  return {path.empty() ? 0 : path.front(), 0, false};
}

// All instantiations have the same name, and so do a state machine and the method that starts it.
uint32_t Places::NameOf(MethodId id) {
  const auto [known, is_new] = name_of_.try_emplace(id, 0);
  if (!is_new) return known->second;
  const Method& method = dictionaries_.method(id);
  std::string name;
  if (id != 0) {
    name = naming::MethodName(dictionaries_.String(dictionaries_.type(method.type).name), {},
                              dictionaries_.String(method.name))
               .name;
    // Native functions without a symbol, and dynamic methods, may share a name without being the
    // same.
    if (method.is_native) name += '\n' + std::to_string(id);
  }
  known->second =
      names_.try_emplace(std::move(name), static_cast<uint32_t>(names_.size())).first->second;
  return known->second;
}

PlaceId Places::Of(std::span<const MethodId> path) {
  const Place place = Find(path);
  if (place.site == 0) return 0;
  const auto [at, is_new] =
      index_.try_emplace(NameOf(place.site), static_cast<PlaceId>(places_.size()));
  if (is_new) places_.push_back(place);
  return at->second;
}

}  // namespace hindsight::analyzer
