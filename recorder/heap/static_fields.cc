#include "recorder/heap/static_fields.h"

#include "recorder/clr/for_each_id.h"

namespace hindsight::recorder {
namespace {

uint64_t KeyOf(clr::ModuleID module, clr::mdTypeDef token) {
  return module ^ (uint64_t{token} << 40);
}

}  // namespace

void StaticFields::Learn() {
  for (const clr::ModuleID module : LoadedModules(names_.info())) {
    const std::lock_guard lock(guard_.mutex());
    if (!guard_.NothingUnloaded()) return;  // `module` may be what has gone
    if (learned_.insert(module).second) LearnModule(module);
  }
}

void StaticFields::ModuleUnloaded(clr::ModuleID module) {
  learned_.erase(module);
  for (Owner& owner : owners_) {
    if (owner.module == module) owner.module = 0;
  }
}

void StaticFields::LearnModule(clr::ModuleID module) {
  Scope* const scope = names_.ScopeOf(module);
  uint32_t count = 0;
  clr::AppDomainID domain = 0;
  names_.info()->GetAppDomainsContainingModule(module, 1, &count, &domain);
  if (scope == nullptr || domain == 0) return;
  domains_[module] = domain;
  for (const clr::mdTypeDef type : scope->TypeDefs()) {
    Owner owner{module, type, false, {}};
    for (const clr::mdFieldDef token : scope->Fields(type)) {
      FieldProperties field;
      if (!scope->Field(token, field) || !field.is_static || field.is_literal || field.has_data ||
          !FieldResolver::IsKeptAsReference(field.signature)) {
        continue;
      }
      owner.fields.push_back({token, scope->HasAttribute(token, u"System.ThreadStaticAttribute")});
    }
    if (owner.fields.empty()) continue;
    owner.is_generic = scope->IsGeneric(type);
    if (owner.is_generic) owner_index_[KeyOf(module, type)] = owners_.size();
    owners_.push_back(std::move(owner));
  }
}

clr::ClassID StaticFields::LoadedClass(const Owner& owner) {
  clr::ICorProfilerInfo10* const info = names_.info();
  if (owner.module == 0 || owner.is_generic) return 0;
  Scope* const scope = names_.ScopeOf(owner.module);
  if (scope == nullptr) return 0;
  const clr::mdMethodDef method = scope->FirstMethod(owner.token);
  clr::FunctionID function = 0;
  clr::ClassID type = 0;
  clr::ModuleID module = 0;
  clr::mdToken token = 0;
  if (method == 0 || clr::Failed(info->GetFunctionFromToken(owner.module, method, &function)) ||
      clr::Failed(info->GetFunctionInfo(function, &type, &module, &token))) {
    return 0;
  }
  return type;
}

void StaticFields::FindThreadStatics(const std::function<bool()>& holds,
                                     std::vector<StaticSlot>& out) {
  clr::ICorProfilerInfo10* const info = names_.info();
  std::vector<clr::ThreadID> threads;
  clr::ForEachThread(info, [&](clr::ThreadID thread) { threads.push_back(thread); });
  for (const Owner& owner : owners_) {
    const std::lock_guard lock(guard_.mutex());
    if (!guard_.NothingUnloaded()) return;
    clr::ClassID type = 0;
    for (const Field& field : owner.fields) {
      if (!field.is_thread) continue;
      if (type == 0) type = LoadedClass(owner);
      if (type == 0) break;
      for (const clr::ThreadID thread : threads) {
        void* address = nullptr;
        if (clr::Succeeded(info->GetThreadStaticAddress2(type, field.token, domains_[owner.module],
                                                         thread, &address)) &&
            address != nullptr) {
          out.push_back({type, field.token, reinterpret_cast<uint64_t>(address), thread});
        }
      }
      if (!holds()) {
        out.clear();
        return;
      }
    }
  }
}

void StaticFields::FindStatics(std::span<const clr::ClassID> classes,
                               std::vector<StaticSlot>& out) {
  for (const Owner& owner : owners_) {
    const std::lock_guard lock(guard_.mutex());
    if (!guard_.NothingUnloaded()) return;
    if (const clr::ClassID type = LoadedClass(owner); type != 0) AddStatics(type, owner, out);
  }
  for (const clr::ClassID type : classes) {
    const std::lock_guard lock(guard_.mutex());
    if (!guard_.NothingUnloaded()) return;
    clr::ModuleID module = 0;
    clr::mdTypeDef token = 0;
    if (clr::Failed(names_.info()->GetClassIDInfo(type, &module, &token))) continue;
    const auto owner = owner_index_.find(KeyOf(module, token));
    if (owner != owner_index_.end()) AddStatics(type, owners_[owner->second], out);
  }
}

void StaticFields::AddStatics(clr::ClassID type, const Owner& owner, std::vector<StaticSlot>& out) {
  for (const Field& field : owner.fields) {
    void* address = nullptr;
    if (!field.is_thread &&
        clr::Succeeded(names_.info()->GetAppDomainStaticAddress(
            type, field.token, domains_[owner.module], &address)) &&
        address != nullptr) {
      out.push_back({type, field.token, reinterpret_cast<uint64_t>(address), 0});
    }
  }
}

}  // namespace hindsight::recorder
