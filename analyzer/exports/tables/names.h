// Dense ids of methods, types and stacks in the tables of one recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/exports/tables/table_writer.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// One thread. Gives numbers to what rows ask for, and writes what has been asked for.
class NameTables {
 public:
  // `model` outlives this; null: there are no events, only what heaps name.
  explicit NameTables(const Model* model);

  // 0: unknown.
  uint32_t OfMethod(MethodId method);
  uint32_t OfType(TypeId type);
  uint32_t OfTypeName(std::string_view name);
  uint32_t OfStack(StackId stack);
  // The same path, whatever the places in its methods.
  uint32_t OfCall(CallId call);

  // methods, types, stacks and frames; after all other tables.
  void Write(TableWriter& writer);

 private:
  struct Node {
    uint32_t parent = 0;  // always smaller than the node's own number
    uint32_t method = 0;  // number in the table
    uint32_t stack = 0;   // likewise; 0: nothing has asked for it
  };

  uint32_t Child(uint32_t parent, MethodId method);
  uint32_t Use(uint32_t node);
  void WriteStacks(TableWriter& writer);
  std::vector<uint32_t> PathOf(uint32_t node) const;  // methods, outermost first
  uint32_t SiteOf(const std::vector<uint32_t>& path);

  static const Dictionaries& Nothing();

  const Model* model_;
  const Dictionaries& dictionaries_;
  MethodNames names_;
  BlockingCalls calls_;
  std::optional<Places> places_;  // with `model_`
  std::unordered_map<std::string, uint32_t> method_index_, type_index_;
  std::vector<uint32_t> method_of_;                 // by MethodId, as far as known; 0: not yet
  std::vector<MethodId> methods_{0};                // by number: the first of that name
  std::vector<const std::string*> types_{nullptr};  // by number: its name
  std::vector<Node> nodes_{1};                      // [0] is the root of all threads
  std::unordered_map<uint64_t, uint32_t> node_index_;
  std::vector<uint32_t> node_of_call_, node_of_stack_;
  std::vector<uint32_t> stacks_{0};  // by number: its node
};

}  // namespace hindsight::analyzer
