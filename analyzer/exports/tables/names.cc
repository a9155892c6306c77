#include "analyzer/exports/tables/names.h"

#include <algorithm>
#include <utility>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/exports/tables/table.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMaxPathBytes = 4096;
constexpr size_t kMaxFrames = 2048;  // as recorded; only damaged input exceeds it

// Names separated by ';'. Of a long path, the beginning and the end, which contains what ran.
std::string PathText(const std::vector<std::string_view>& names) {
  size_t bytes = 0;
  for (const std::string_view name : names) bytes += name.size() + 1;
  size_t head = names.size(), tail = names.size();  // [0, head) and [tail, size) are shown
  if (bytes > kMaxPathBytes) {
    size_t used = 0;
    for (head = 0; used + names[head].size() < kMaxPathBytes / 4; ++head) {
      used += names[head].size() + 1;
    }
    for (tail = names.size(); tail > head + 1; --tail) {
      used += names[tail - 1].size() + 1;
      if (used > kMaxPathBytes) break;
    }
  }
  std::string out;
  const auto add = [&out](std::string_view name) {
    if (!out.empty()) out += ';';
    out += name;
  };
  for (size_t i = 0; i < head; ++i) add(names[i]);
  if (head < tail) add("...");
  for (size_t i = tail; i < names.size(); ++i) add(names[i]);
  return out;
}

struct MethodRow {
  uint32_t number = 0;
  std::string_view name, raw_name, module;
  const Method* method = nullptr;
};

SqlTable<MethodRow> MethodTable() {
  return {"methods",
          "Methods and native functions, one row per name",
          TableSource::kEvents,
          1,
          {{"method", "numbered from 1", &MethodRow::number},
           {"name", "as written in C#: Shop.Cart.AddAsync", &MethodRow::name},
           {"raw_name", "as in the metadata", [](auto& row) { return KnownText(row.raw_name); }},
           {"module", "file of the assembly or library",
            [](auto& row) { return KnownText(row.module); }},
           {"is_native", "0 or 1", [](auto& row) { return row.method->is_native; }},
           {"is_plumbing", "1: infrastructure of tasks, async methods and the pool",
            [](auto& row) { return row.method->is_plumbing; }}}};
}

struct NamedType {
  uint32_t number = 0;
  std::string_view name;
};

SqlTable<NamedType> TypeTable() {
  return {"types",
          "Types, one row per name",
          TableSource::kHeap,
          1,
          {{"type", "numbered from 1", &NamedType::number},
           {"name", "System.Collections.Generic.List<int>", &NamedType::name}}};
}

struct StackRow {
  uint32_t number = 0, method = 0, site = 0;
  size_t depth = 0;
  std::string path;
};

SqlTable<StackRow> StackTable() {
  return {"stacks",
          "Call stacks, each once",
          TableSource::kEvents,
          1,
          {{"stack", "numbered from 1", &StackRow::number},
           {"method", "the innermost method: what ran", KnownId(&StackRow::method)},
           {"site",
            "the method of interest: the innermost of your code, or else of others, that does not "
            "just wait or throw on behalf of its caller",
            KnownId(&StackRow::site)},
           {"depth", "frames", &StackRow::depth},
           {"path",
            "from the thread's root to the innermost method, separated by ';'; the middle is cut "
            "beyond 4 KiB",
            &StackRow::path}}};
}

struct FrameRow {
  uint32_t stack = 0;
  size_t depth = 0;
  uint32_t method = 0;
};

SqlTable<FrameRow> FrameTable() {
  return {"frames",
          "Methods of a stack, each once: join it to samples for total times without double "
          "counting",
          TableSource::kEvents,
          2,
          {{"stack", "", &FrameRow::stack},
           {"depth", "1: the thread's root", &FrameRow::depth},
           {"method", "", &FrameRow::method}}};
}

}  // namespace

std::vector<TableSchema> NameTables::Schemas() {
  return {MethodTable(), TypeTable(), StackTable(), FrameTable()};
}

const Dictionaries& NameTables::Nothing() {
  static const Dictionaries kNothing;
  return kNothing;
}

NameTables::NameTables(const Model* model)
    : model_(model),
      dictionaries_(model == nullptr ? Nothing() : model->dictionaries),
      names_(dictionaries_),
      calls_(dictionaries_) {
  if (model != nullptr) places_.emplace(*model);
}

uint32_t NameTables::OfMethod(MethodId method) {
  if (method == 0) return 0;
  if (method >= method_of_.size()) method_of_.resize(method + 1);
  uint32_t& number = method_of_[method];
  if (number != 0) return number;
  const auto [place, is_new] =
      method_index_.try_emplace(names_.Display(method), static_cast<uint32_t>(methods_.size()));
  if (is_new) methods_.push_back(method);
  return number = place->second;
}

uint32_t NameTables::OfType(TypeId type) { return type == 0 ? 0 : OfTypeName(names_.Type(type)); }

uint32_t NameTables::OfTypeName(std::string_view name) {
  const auto [place, is_new] =
      type_index_.try_emplace(std::string(name), static_cast<uint32_t>(types_.size()));
  if (is_new) types_.push_back(&place->first);
  return place->second;
}

uint32_t NameTables::Use(uint32_t node) {
  if (node == 0) return 0;
  uint32_t& stack = nodes_[node].stack;
  if (stack == 0) {
    stack = static_cast<uint32_t>(stacks_.size());
    stacks_.push_back(node);
  }
  return stack;
}

uint32_t NameTables::OfStack(StackId stack) {
  if (stack == 0 || model_ == nullptr) return 0;
  // Parents have smaller ids, so one pass is enough.
  for (auto id = static_cast<StackId>(node_of_stack_.size()); id <= stack; ++id) {
    const StackNode& node = dictionaries_.stack(id);
    node_of_stack_.push_back(
        id == 0 ? 0 : tree_.Child(node_of_stack_[node.parent], OfMethod(node.method)));
  }
  return Use(node_of_stack_[stack]);
}

uint32_t NameTables::OfCall(CallId call) {
  if (call == 0 || model_ == nullptr) return 0;
  const CallTree& calls = model_->samples.calls;
  for (auto id = static_cast<CallId>(node_of_call_.size()); id <= call; ++id) {
    const CallNode& node = calls.node(id);
    node_of_call_.push_back(
        id == 0 ? 0 : tree_.Child(node_of_call_[node.parent], OfMethod(node.method)));
  }
  return Use(node_of_call_[call]);
}

std::vector<uint32_t> NameTables::PathOf(uint32_t node) const {
  std::vector<uint32_t> methods;
  for (; node != 0 && methods.size() < kMaxFrames; node = nodes_[node].parent) {
    methods.push_back(nodes_[node].frame);
  }
  std::reverse(methods.begin(), methods.end());
  return methods;
}

// As shown by `locks` and `exceptions`: the site of the place.
uint32_t NameTables::SiteOf(const std::vector<uint32_t>& path) {
  std::vector<MethodId> methods;  // innermost first
  for (auto number = path.rbegin(); number != path.rend(); ++number) {
    methods.push_back(methods_[*number]);
  }
  methods = WaitPath(dictionaries_, std::move(methods));
  const MethodId site = places_ ? WaitSiteOf(*places_, calls_, methods).site : 0;
  return site == 0 ? path.back() : OfMethod(site);
}

void NameTables::WriteStacks(TableWriter& writer) {
  TableRows<StackRow> rows(StackTable(), {}, writer);
  std::vector<std::string_view> names;
  for (uint32_t stack = 1; stack < stacks_.size(); ++stack) {
    const std::vector<uint32_t> path = PathOf(stacks_[stack]);
    names.clear();
    for (const uint32_t method : path) {
      names.push_back(method == 0 ? std::string_view("?") : names_.Display(methods_[method]));
    }
    rows.Add({stack, path.back(), SiteOf(path), path.size(), PathText(names)});
  }
}

void NameTables::WriteFrames(TableWriter& writer) {
  TableRows<FrameRow> rows(FrameTable(), {}, writer);
  std::vector<uint32_t> seen_on(methods_.size());  // by method: the last stack that contains it
  for (uint32_t stack = 1; stack < stacks_.size(); ++stack) {
    const std::vector<uint32_t> path = PathOf(stacks_[stack]);
    for (size_t i = 0; i < path.size(); ++i) {
      if (path[i] == 0 || seen_on[path[i]] == stack) continue;
      seen_on[path[i]] = stack;
      rows.Add({stack, i + 1, path[i]});
    }
  }
}

void NameTables::WriteMethods(TableWriter& writer) {
  TableRows<MethodRow> rows(MethodTable(), {}, writer);
  for (uint32_t number = 1; number < methods_.size(); ++number) {
    const MethodId id = methods_[number];
    const Method& method = dictionaries_.method(id);
    const Module& module = dictionaries_.module(method.module);
    std::string_view file = dictionaries_.String(module.path);
    if (file.empty()) file = dictionaries_.String(module.assembly);
    rows.Add({number, names_.Display(id), names_.Raw(id), file, &method});
  }
}

void NameTables::WriteTypes(TableWriter& writer) {
  TableRows<NamedType> rows(TypeTable(), {}, writer);
  for (uint32_t number = 1; number < types_.size(); ++number) rows.Add({number, *types_[number]});
}

void NameTables::Write(TableWriter& writer) {
  if (writer.Wants("stacks")) WriteStacks(writer);
  if (writer.Wants("frames")) WriteFrames(writer);
  if (writer.Wants("methods")) WriteMethods(writer);
  if (writer.Wants("types")) WriteTypes(writer);
}

}  // namespace hindsight::analyzer
