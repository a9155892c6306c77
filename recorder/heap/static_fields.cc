#include "recorder/heap/static_fields.h"

#include "recorder/base/clock.h"
#include "recorder/names/loaded_class.h"

namespace hindsight::recorder {
namespace {

uint64_t KeyOf(clr::ModuleID module, clr::mdTypeDef token) {
  return module ^ (uint64_t{token} << 40);
}

}  // namespace

void StaticFields::Learn() {
  constexpr int kAttempts = 3;  // something may be unloaded in the meantime
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ForgetWhatMayGo();
    if (LearnAll()) break;
  }
  owner_index_.clear();
  for (size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i].is_generic) owner_index_[KeyOf(owners_[i].module, owners_[i].token)] = i;
  }
}

void StaticFields::ForgetWhatMayGo() {
  std::erase_if(owners_, [](const Owner& owner) { return owner.as_of_ns != kForEver; });
}

bool StaticFields::LearnAll() {
  const uint64_t as_of_ns = MonotonicNs();
  for (const clr::ModuleID module : LoadedModules(info_)) {
    if (learned_.contains(module)) continue;
    bool is_permanent = false;
    {
      const auto hold = names_.gate().Enter(as_of_ns);
      if (!hold) return false;
      is_permanent = names_.IsPermanent(*hold, module);
    }
    if (!LearnModule(module, is_permanent ? kForEver : as_of_ns)) return false;
    if (is_permanent) learned_.insert(module);
  }
  return true;
}

// A Hold per type: the core library has thousands.
bool StaticFields::LearnModule(clr::ModuleID module, uint64_t as_of_ns) {
  std::vector<clr::mdTypeDef> types;
  uint32_t count = 0;
  clr::AppDomainID domain = 0;
  {
    const auto hold = names_.gate().Enter(as_of_ns);
    if (!hold) return false;
    Scope* const scope = names_.ScopeOf(*hold, module);
    info_->GetAppDomainsContainingModule(module, 1, &count, &domain);
    if (scope == nullptr || domain == 0) return true;
    types = scope->TypeDefs();
  }
  for (const clr::mdTypeDef type : types) {
    const auto hold = names_.gate().Enter(as_of_ns);
    if (!hold) return false;
    Scope* const scope = names_.ScopeOf(*hold, module);
    if (scope == nullptr) return true;
    Owner owner{module, type, false, as_of_ns, domain, {}};
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
    owners_.push_back(std::move(owner));
  }
  return true;
}

void StaticFields::FindThreadStatics(const std::function<bool()>& holds,
                                     std::vector<StaticSlot>& out) {
  struct Asked {
    SeenThread thread;
    uint32_t os_id;
  };
  std::vector<Asked> threads;
  threads_.ForEach([&](SeenThread thread) { threads.push_back({thread, 0}); });
  for (Asked& asked : threads) {
    if (const auto hold = threads_.Enter(asked.thread)) asked.os_id = hold->OsId();
  }
  for (const Owner& owner : owners_) {
    // Between the collection that found code dead and the callback that announces its unload, .NET
    // 8 reads such a field through the handle of the loader's object
    // (Thread::GetStaticFieldAddrNoCreate), which that collection has cleared. That crashes the
    // process.
    if (owner.as_of_ns != kForEver) continue;
    const auto hold = names_.gate().Enter(owner.as_of_ns);
    if (!hold) continue;
    clr::ClassID type = 0;
    for (const Field& field : owner.fields) {
      if (!field.is_thread) continue;
      if (type == 0) type = LoadedClass(*hold, names_, owner.module, owner.token);
      if (type == 0) break;
      for (const auto& [thread, os_id] : threads) {
        const auto alive = threads_.Enter(thread);
        if (!alive) continue;
        const void* address = alive->StaticAddress(type, field.token, owner.domain);
        if (address == nullptr) continue;
        out.push_back({type, field.token, reinterpret_cast<uint64_t>(address), thread.id, os_id,
                       owner.as_of_ns});
      }
      if (!holds()) {
        out.clear();
        return;
      }
    }
  }
}

void StaticFields::FindStatics(std::span<const AliveClass> classes, std::vector<StaticSlot>& out) {
  for (const Owner& owner : owners_) {
    if (owner.as_of_ns != kForEver) continue;  // as with thread statics
    const auto hold = names_.gate().Enter(owner.as_of_ns);
    if (!hold) continue;
    const clr::ClassID type = LoadedClass(*hold, names_, owner.module, owner.token);
    if (type != 0) AddStatics(*hold, type, owner.as_of_ns, owner, out);
  }
  for (const auto& [type, as_of_ns] : classes) {
    const auto hold = names_.gate().Enter(as_of_ns);
    if (!hold) continue;
    clr::ModuleID module = 0;
    clr::mdTypeDef token = 0;
    if (clr::Failed(info_->GetClassIDInfo(type, &module, &token))) continue;
    const auto owner = owner_index_.find(KeyOf(module, token));
    if (owner != owner_index_.end()) {
      AddStatics(*hold, type, as_of_ns, owners_[owner->second], out);
    }
  }
}

void StaticFields::AddStatics(const CodeGate::Hold&, clr::ClassID type, uint64_t as_of_ns,
                              const Owner& owner, std::vector<StaticSlot>& out) {
  for (const Field& field : owner.fields) {
    void* address = nullptr;
    if (!field.is_thread &&
        clr::Succeeded(
            info_->GetAppDomainStaticAddress(type, field.token, owner.domain, &address)) &&
        address != nullptr) {
      out.push_back({type, field.token, reinterpret_cast<uint64_t>(address), 0, 0, as_of_ns});
    }
  }
}

}  // namespace hindsight::recorder
