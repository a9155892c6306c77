// Dense ids of methods, types and stacks in the tables of one recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/path_tree.h"
#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/exports/tables/table_writer.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Not thread-safe. Assigns numbers to the names that rows refer to, and writes those names.
class NameTables {
 public:
  // `model` must outlive this; null: there are no events, only names in heaps.
  explicit NameTables(const Model* model);

  // 0: unknown.
  uint32_t OfMethod(MethodId method);
  uint32_t OfType(TypeId type);
  uint32_t OfTypeName(std::string_view name);
  uint32_t OfStack(StackId stack);
  // Equal for equal paths, whatever the locations in their methods.
  uint32_t OfCall(CallId call);

  // methods, types, stacks and frames.
  static std::vector<TableSchema> Schemas();
  // Writes them; after all other tables.
  void Write(TableWriter& writer);

 private:
  struct Node {
    uint32_t parent = 0;  // always smaller than the node's own number
    uint32_t frame = 0;   // number of the method in its table
    uint32_t stack = 0;   // likewise; 0: not referred to
  };

  uint32_t Use(uint32_t node);
  void WriteStacks(TableWriter& writer);
  void WriteFrames(TableWriter& writer);
  void WriteMethods(TableWriter& writer);
  void WriteTypes(TableWriter& writer);
  std::vector<uint32_t> PathOf(uint32_t node) const;  // methods, outermost first
  uint32_t SiteOf(const std::vector<uint32_t>& path);

  static const Dictionaries& Nothing();

  const Model* model_;
  const Dictionaries& dictionaries_;
  MethodNames names_;
  BlockingCalls calls_;
  std::optional<Places> places_;  // present if `model_` is
  std::unordered_map<std::string, uint32_t> method_index_, type_index_;
  std::vector<uint32_t> method_of_;   // indexed by MethodId, as far as needed; 0: none yet
  std::vector<MethodId> methods_{0};  // indexed by number: the first method with that name
  std::vector<const std::string*> types_{nullptr};  // indexed by number: its name
  std::vector<Node> nodes_{1};                      // [0] is the root of all threads
  PathTree<Node> tree_{nodes_};
  std::vector<uint32_t> node_of_call_, node_of_stack_;
  std::vector<uint32_t> stacks_{0};  // indexed by number: its node
};

}  // namespace hindsight::analyzer
