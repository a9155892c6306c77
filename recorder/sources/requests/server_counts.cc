#include "recorder/sources/requests/server_counts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "recorder/base/clock.h"
#include "recorder/base/own_memory.h"
#include "recorder/names/fields.h"
#include "recorder/names/loaded_class.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxFields = 32;         // HostingEventSource has 8
constexpr size_t kMaxObjectBytes = 1024;  // about 300, with what it inherits
// A collection marks live objects in these bits of the first word, before it moves any.
constexpr clr::ClassID kCollectorBits = 7;
constexpr char kAssembly[] = "Microsoft.AspNetCore.Hosting";
constexpr char kType[] = "Microsoft.AspNetCore.Hosting.HostingEventSource";

}  // namespace

std::optional<ServerCount> ServerCounts::Read(uint64_t now_ns) {
  if (!source_) {
    if (now_ns < look_at_ns_) return std::nullopt;
    source_ = Find();
    look_at_ns_ = now_ns + look_after_ns_;
    look_after_ns_ *= 2;
    if (!source_) return std::nullopt;
  }
  // A collection may move the object meanwhile, and even free the memory where it was. So the
  // kernel copies it at once, and the copy counts only if it is of this type and the object has not
  // moved.
  uintptr_t source = 0, source_now = 0;
  std::array<std::byte, kMaxObjectBytes> copy;
  const uint32_t last = std::max({source_->started, source_->in_flight, source_->errors});
  if (!ReadOwn(source_->slot, &source, sizeof source) || source == 0 ||
      !ReadOwn(source, copy.data(), last + sizeof(uint64_t)) ||
      !ReadOwn(source_->slot, &source_now, sizeof source_now) || source_now != source) {
    return std::nullopt;
  }
  clr::ClassID type = 0;
  std::memcpy(&type, copy.data(), sizeof type);
  if ((type & ~kCollectorBits) != source_->type) return std::nullopt;
  ServerCount count;
  std::memcpy(&count.started, copy.data() + source_->started, sizeof count.started);
  std::memcpy(&count.in_flight, copy.data() + source_->in_flight, sizeof count.in_flight);
  std::memcpy(&count.errors, copy.data() + source_->errors, sizeof count.errors);
  return count;
}

std::optional<ServerCounts::Source> ServerCounts::Find() {
  const uint64_t as_of_ns = MonotonicNs();
  for (const clr::ModuleID module : LoadedModules(info_)) {
    const auto hold = names_.gate().Enter(as_of_ns);
    if (!hold) return std::nullopt;
    Scope* const scope = names_.ScopeOf(*hold, module);
    std::string name;
    if (scope == nullptr || !scope->AssemblyName(name) || name != kAssembly) continue;
    return FindIn(*hold, module);
  }
  return std::nullopt;
}

std::optional<ServerCounts::Source> ServerCounts::FindIn(const CodeGate::Hold& hold,
                                                         clr::ModuleID module) {
  // What it finds is used without a Hold later.
  if (!names_.IsPermanent(hold, module)) return std::nullopt;
  Scope& scope = *names_.ScopeOf(hold, module);
  const clr::mdTypeDef token = scope.FindTypeDef(kType);
  if (token == 0) return std::nullopt;
  clr::mdFieldDef log = 0, started = 0, in_flight = 0, errors = 0;
  for (const clr::mdFieldDef token_of_field : scope.Fields(token)) {
    FieldProperties field;
    if (!scope.Field(token_of_field, field)) continue;
    if (field.is_static && field.name == "Log") log = token_of_field;
    if (field.is_static) continue;
    if (field.name == "_totalRequests") started = token_of_field;
    if (field.name == "_currentRequests") in_flight = token_of_field;
    if (field.name == "_failedRequests") errors = token_of_field;
  }
  Source source;
  source.type = LoadedClass(hold, names_, module, token);
  std::array<clr::COR_FIELD_OFFSET, kMaxFields> fields;
  uint32_t fields_count = 0, bytes = 0, domains = 0;
  clr::AppDomainID domain = 0;
  void* slot = nullptr;
  if (log == 0 || started == 0 || in_flight == 0 || errors == 0 || source.type == 0 ||
      clr::Failed(
          info_->GetClassLayout(source.type, fields.data(), kMaxFields, &fields_count, &bytes)) ||
      clr::Failed(info_->GetAppDomainsContainingModule(module, 1, &domains, &domain)) ||
      clr::Failed(info_->GetAppDomainStaticAddress(source.type, log, domain, &slot))) {
    return std::nullopt;
  }
  source.slot = reinterpret_cast<uintptr_t>(slot);
  for (size_t i = 0; i < fields_count && i < kMaxFields; ++i) {
    const clr::mdFieldDef field = fields[i].ridOfField;
    if (field == started) source.started = fields[i].ulOffset;
    if (field == in_flight) source.in_flight = fields[i].ulOffset;
    if (field == errors) source.errors = fields[i].ulOffset;
  }
  const auto is_known = [](uint32_t offset) {
    return offset != 0 && offset + sizeof(uint64_t) <= kMaxObjectBytes;
  };
  const bool are_known =
      is_known(source.started) && is_known(source.in_flight) && is_known(source.errors);
  return source.slot != 0 && are_known ? std::optional(source) : std::nullopt;
}

}  // namespace hindsight::recorder
