#include "recorder/sources/requests/server_errors.h"

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

std::optional<uint64_t> ServerErrors::Read(uint64_t now_ns) {
  if (!counter_) {
    if (now_ns < look_at_ns_) return std::nullopt;
    counter_ = Find();
    look_at_ns_ = now_ns + look_after_ns_;
    look_after_ns_ *= 2;
    if (!counter_) return std::nullopt;
  }
  // A collection may move the object meanwhile, and even free the memory where it was. So the
  // kernel copies it at once, and the copy counts only if it is of this type and the object has not
  // moved.
  uintptr_t source = 0, source_now = 0;
  std::array<std::byte, kMaxObjectBytes> copy;
  const size_t size = counter_->offset + sizeof(uint64_t);
  if (!ReadOwn(counter_->source_slot, &source, sizeof source) || source == 0 ||
      !ReadOwn(source, copy.data(), size) ||
      !ReadOwn(counter_->source_slot, &source_now, sizeof source_now) || source_now != source) {
    return std::nullopt;
  }
  clr::ClassID type = 0;
  uint64_t count = 0;
  std::memcpy(&type, copy.data(), sizeof type);
  std::memcpy(&count, copy.data() + counter_->offset, sizeof count);
  return (type & ~kCollectorBits) == counter_->type ? std::optional(count) : std::nullopt;
}

std::optional<ServerErrors::Counter> ServerErrors::Find() {
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

std::optional<ServerErrors::Counter> ServerErrors::FindIn(const CodeGate::Hold& hold,
                                                          clr::ModuleID module) {
  // What it finds is used without a Hold later.
  if (!names_.IsPermanent(hold, module)) return std::nullopt;
  Scope& scope = *names_.ScopeOf(hold, module);
  const clr::mdTypeDef token = scope.FindTypeDef(kType);
  if (token == 0) return std::nullopt;
  clr::mdFieldDef source = 0, count = 0;
  for (const clr::mdFieldDef token_of_field : scope.Fields(token)) {
    FieldProperties field;
    if (!scope.Field(token_of_field, field)) continue;
    if (field.is_static && field.name == "Log") source = token_of_field;
    if (!field.is_static && field.name == "_failedRequests") count = token_of_field;
  }
  Counter counter;
  counter.type = LoadedClass(hold, names_, module, token);
  std::array<clr::COR_FIELD_OFFSET, kMaxFields> fields;
  uint32_t fields_count = 0, bytes = 0, domains = 0;
  clr::AppDomainID domain = 0;
  void* slot = nullptr;
  if (source == 0 || count == 0 || counter.type == 0 ||
      clr::Failed(
          info_->GetClassLayout(counter.type, fields.data(), kMaxFields, &fields_count, &bytes)) ||
      clr::Failed(info_->GetAppDomainsContainingModule(module, 1, &domains, &domain)) ||
      clr::Failed(info_->GetAppDomainStaticAddress(counter.type, source, domain, &slot))) {
    return std::nullopt;
  }
  counter.source_slot = reinterpret_cast<uintptr_t>(slot);
  for (size_t i = 0; i < fields_count && i < kMaxFields; ++i) {
    if (fields[i].ridOfField == count) counter.offset = fields[i].ulOffset;
  }
  const bool is_known = counter.source_slot != 0 && counter.offset != 0 &&
                        counter.offset + sizeof(uint64_t) <= kMaxObjectBytes;
  return is_known ? std::optional(counter) : std::nullopt;
}

}  // namespace hindsight::recorder
