#include <vector>

#include "analyzer/report/common_fields.h"
#include "analyzer/report/exception_fields.h"
#include "analyzer/report/exceptions_json.h"

namespace hindsight::analyzer {
namespace {

Object<ThrownHere, ExceptionsAnswer> ThrownHereFields() {
  return {
      {"rank", "Position in the groups of `hindsight exceptions`, from 1", &ThrownHere::finding},
      {"type", "The exception's type", NameFields(),
       [](auto& here, auto& in) {
         const TypeId type = in.report.findings[here.finding - 1].type;
         return NameRow{in.names.Type(type), in.names.RawType(type)};
       }},
      {"count", "How many", &ThrownHere::count},
  };
}

Object<TreeNode> FoldedNodeFields() {
  return {
      {"branches", "How many", &TreeNode::folded_children},
      {"count", "How many exceptions", &TreeNode::folded},
  };
}

Object<TreeNode, ExceptionsAnswer> TreeNodeFields() {
  return {
      {"depth", "Level in the tree, 0: a root; children follow their parent", &TreeNode::depth},
      {"count", "How many exceptions", &TreeNode::count},
      {"methods", "A chain of single calls, outermost first", NameFields(),
       [](auto& node, auto& in) {
         std::vector<NameRow> methods;
         for (const MethodId method : node.methods) methods.push_back(MethodRowOf(in, method));
         return methods;
       }},
      {"thrown", "Groups that end here", ThrownHereFields(), &TreeNode::thrown},
      {"folded", "Branches too small to show", FoldedNodeFields()},
  };
}

Object<ExceptionTree, ExceptionsAnswer> ExceptionTreeFields() {
  return {
      HeadFields("exceptions --tree"),
      {"recording", "", RecordingFields(),
       [](auto&, auto& in) -> const Model& { return *in.model; }},
      {"exceptions", "Logical exceptions", &ExceptionTree::count},
      {"without_stack", "Exceptions not in the tree", &ExceptionTree::without_stack},
      {"nodes", "Rows, children after their parent", TreeNodeFields(), &ExceptionTree::nodes},
  };
}

}  // namespace

std::string ExceptionTreeJson(const ExceptionReport& report, const ExceptionTree& tree) {
  return JsonOf(ExceptionTreeFields(), tree, ExceptionsAnswer{report, 0, 0, nullptr});
}

SharedShape ExceptionTreeShape() { return ExceptionTreeFields().shape(); }

}  // namespace hindsight::analyzer
