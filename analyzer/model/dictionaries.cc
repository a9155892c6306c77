#include "analyzer/model/dictionaries.h"

#include <type_traits>
#include <utility>

#include "proto/limits.h"

namespace hindsight::analyzer {
namespace {

// Appends a fixed-size value, or a length and its contents: equal keys mean equal contents.
class Key {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> Key& Add(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  Key& Add(std::string_view text) {
    Add(text.size());
    text_ += text;
    return *this;
  }
  Key& Add(const std::vector<TypeId>& ids) {
    Add(ids.size());
    for (const TypeId id : ids) Add(id);
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

template <typename Entry>
const Entry& At(const std::vector<Entry>& table, uint32_t id) {
  return table[id < table.size() ? id : 0];
}

}  // namespace

Dictionaries::Dictionaries()
    : strings_(1), modules_(1), types_(1), methods_(1), handlers_(1), stacks_(1) {}

template <typename Entry>
bool Dictionaries::HasRoom(const std::vector<Entry>& table) {
  if (table.size() <= kMaxModelEntries) return true;
  ++refused_;
  return false;
}

template <typename Entry>
uint32_t Dictionaries::AddByContent(const Entry& entry, std::string key, std::vector<Entry>& table,
                                    std::unordered_map<std::string, uint32_t>& index) {
  const auto found = index.find(key);
  if (found != index.end()) return found->second;
  if (!HasRoom(table)) return 0;
  const auto id = static_cast<uint32_t>(table.size());
  index.emplace(std::move(key), id);
  table.push_back(entry);
  return id;
}

StringId Dictionaries::AddString(std::string_view text) {
  if (text.empty()) return 0;
  const auto found = string_index_.find(text);
  if (found != string_index_.end()) return found->second;
  if (strings_.size() > kMaxModelEntries || string_bytes_ + text.size() > kMaxModelStringBytes) {
    ++refused_;
    return 0;
  }
  const auto id = static_cast<StringId>(strings_.size());
  string_bytes_ += text.size();
  string_index_.emplace(strings_.emplace_back(text), id);
  return id;
}

ModuleId Dictionaries::AddModule(const Module& module) {
  return AddByContent(module,
                      Key()
                          .Add(module.path)
                          .Add(module.assembly)
                          .Add(module.mvid)
                          .Add(module.build_id)
                          .Add(module.pdb_id)
                          .Take(),
                      modules_, module_index_);
}

TypeId Dictionaries::AddType(const Type& type) {
  return AddByContent(type,
                      Key()
                          .Add(type.name)
                          .Add(type.module)
                          .Add(type.token)
                          .Add(type.element)
                          .Add(type.rank)
                          .Add(type.arguments)
                          .Take(),
                      types_, type_index_);
}

MethodId Dictionaries::AddMethod(const Method& method) {
  Key key;
  key.Add(method.name).Add(method.type).Add(method.module).Add(method.token);
  key.Add(method.is_native)
      .Add(method.native_rva)
      .Add(method.is_dynamic)
      .Add(method.arguments)
      .Add(method.parameters.size());
  for (const std::string& parameter : method.parameters) key.Add(parameter);
  return AddByContent(method, key.Take(), methods_, method_index_);
}

HandlerId Dictionaries::AddHandler(const Handler& handler) {
  const uint64_t key = Pair(handler.method, static_cast<uint32_t>(handler.il_offset));
  const auto found = handler_index_.find(key);
  if (found != handler_index_.end()) return found->second;
  if (!HasRoom(handlers_)) return 0;
  const auto id = static_cast<HandlerId>(handlers_.size());
  handler_index_.emplace(key, id);
  handlers_.push_back(handler);
  return id;
}

StackId Dictionaries::AddStack(StackId parent, MethodId method) {
  const uint64_t key = Pair(parent, method);
  const auto found = stack_index_.find(key);
  if (found != stack_index_.end()) return found->second;
  if (parent >= stacks_.size() || !HasRoom(stacks_)) return 0;
  const auto id = static_cast<StackId>(stacks_.size());
  stack_index_.emplace(key, id);
  const bool is_carried = parent != 0 && this->method(method).is_plumbing;
  stacks_.push_back({parent, method, is_carried ? stacks_[parent].site : method});
  return id;
}

std::string_view Dictionaries::String(StringId id) const {
  return strings_[id < strings_.size() ? id : 0];
}
const Module& Dictionaries::module(ModuleId id) const { return At(modules_, id); }
const Type& Dictionaries::type(TypeId id) const { return At(types_, id); }
const Method& Dictionaries::method(MethodId id) const { return At(methods_, id); }
const Handler& Dictionaries::handler(HandlerId id) const { return At(handlers_, id); }
const StackNode& Dictionaries::stack(StackId id) const { return At(stacks_, id); }

std::vector<MethodId> Dictionaries::Path(StackId id) const {
  std::vector<MethodId> path;
  for (; id != 0 && path.size() < kMaxStackDepth; id = stack(id).parent) {
    path.push_back(stack(id).method);
  }
  return path;
}

}  // namespace hindsight::analyzer
