#include "analyzer/naming/method_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hindsight::analyzer::naming {
namespace {

// Names within names (a lambda's state machine inside top-level statements has three); beyond it a
// name is not the compiler's and stays as it is.
constexpr int kMaxNesting = 8;

constexpr std::array<std::pair<std::string_view, std::string_view>, 37> kOperators = {{
    {"Addition", "+"},
    {"Subtraction", "-"},
    {"Multiply", "*"},
    {"Division", "/"},
    {"Modulus", "%"},
    {"BitwiseAnd", "&"},
    {"BitwiseOr", "|"},
    {"ExclusiveOr", "^"},
    {"LeftShift", "<<"},
    {"RightShift", ">>"},
    {"UnsignedRightShift", ">>>"},
    {"Equality", "=="},
    {"Inequality", "!="},
    {"LessThan", "<"},
    {"GreaterThan", ">"},
    {"LessThanOrEqual", "<="},
    {"GreaterThanOrEqual", ">="},
    {"UnaryPlus", "+"},
    {"UnaryNegation", "-"},
    {"LogicalNot", "!"},
    {"OnesComplement", "~"},
    {"Increment", "++"},
    {"Decrement", "--"},
    {"True", "true"},
    {"False", "false"},
    {"AdditionAssignment", "+="},
    {"SubtractionAssignment", "-="},
    {"MultiplicationAssignment", "*="},
    {"DivisionAssignment", "/="},
    {"ModulusAssignment", "%="},
    {"BitwiseAndAssignment", "&="},
    {"BitwiseOrAssignment", "|="},
    {"ExclusiveOrAssignment", "^="},
    {"LeftShiftAssignment", "<<="},
    {"RightShiftAssignment", ">>="},
    {"IncrementAssignment", "++"},
    {"DecrementAssignment", "--"},
}};

// op_Addition -> operator +; empty: not an operator.
std::string OperatorName(std::string_view name) {
  if (!name.starts_with("op_")) return {};
  name.remove_prefix(3);
  std::string checked;
  if (name.starts_with("Checked")) {
    checked = "checked ";
    name.remove_prefix(7);
  }
  if (name == "Implicit") return "implicit operator";
  if (name == "Explicit") {
    return checked.empty() ? "explicit operator" : "explicit operator checked";
  }
  for (const auto& [metadata, symbol] : kOperators) {
    if (name == metadata) return "operator " + checked + std::string(symbol);
  }
  return {};
}

// get_Count -> Count.get; empty: not an accessor.
std::string AccessorName(std::string_view name) {
  for (const std::string_view kind : {"get", "set", "add", "remove"}) {
    if (name.size() <= kind.size() + 1 || !name.starts_with(kind) || name[kind.size()] != '_') {
      continue;
    }
    const std::string_view property = name.substr(kind.size() + 1);
    std::string out(property == "Item" && (kind == "get" || kind == "set") ? "this[]" : property);
    out += '.';
    out += kind;
    return out;
  }
  return {};
}

// The interface of an explicit implementation, as its short C# name. The compiler wrote it in C#'s
// form already, but with System.Int32 for int.
std::string InterfaceName(std::string_view name) {
  std::string out;
  size_t begin = 0;
  for (size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '<' && name[i] != '>' && name[i] != ',' && name[i] != '[' &&
        name[i] != '?') {
      continue;
    }
    out += ShortTypeName(TypeName(name.substr(begin, i - begin)));
    if (i < name.size()) out += name[i];
    if (i < name.size() && name[i] == ',') out += ' ';
    begin = i + 1;
  }
  return out;
}

std::string MemberName(std::string_view raw, int nesting);

// A name without compiler's brackets: a method, an accessor, an operator, or one of these behind
// the interface that it implements.
std::string PlainMemberName(std::string_view raw) {
  if (raw == ".ctor" || raw == ".cctor") return std::string(raw);
  size_t dot = std::string_view::npos;
  size_t depth = 0;
  for (size_t i = raw.size(); i-- > 0;) {
    if (raw[i] == '>') ++depth;
    if (raw[i] == '<' && depth > 0) --depth;
    if (raw[i] == '.' && depth == 0) {
      dot = i;
      break;
    }
  }
  const bool is_explicit = dot != std::string_view::npos && dot > 0 && dot + 1 < raw.size();
  const std::string_view member = is_explicit ? raw.substr(dot + 1) : raw;
  std::string out;
  if (is_explicit) out = InterfaceName(raw.substr(0, dot)) + '.';
  std::string special = AccessorName(member);
  if (special.empty()) special = OperatorName(member);
  return out + (special.empty() ? std::string(member) : special);
}

// `suffix` is what stands behind <NAME>: b__0_1, g__Retry|0_1, $, or nothing.
// Empty: not one of the compiler's.
std::string GeneratedMemberName(std::string_view container, std::string_view suffix, int nesting) {
  if (suffix.empty() || suffix == "$") {
    return container == "Main" ? "Main" : std::string();
  }
  if (suffix.starts_with("b__")) {
    std::string_view number = suffix.substr(3);
    if (const size_t separator = number.rfind('_'); separator != std::string_view::npos) {
      if (!IsDigits(number.substr(0, separator))) return {};
      number = number.substr(separator + 1);
    }
    if (!IsDigits(number)) return {};
    return MemberName(container, nesting) + ".lambda#" + std::string(number);
  }
  if (suffix.starts_with("g__")) {
    const std::string_view local = suffix.substr(3, suffix.find('|') - 3);
    if (local.empty() || local.size() + 3 == suffix.size()) return {};
    return MemberName(container, nesting) + '.' + std::string(local);
  }
  return {};
}

std::string MemberName(std::string_view raw, int nesting) {
  if (raw.starts_with('<')) {
    const size_t close = ClosingAngle(raw, 0);
    if (close == std::string_view::npos || close < 3 || nesting >= kMaxNesting) {
      return std::string(raw);
    }
    std::string name =
        GeneratedMemberName(raw.substr(1, close - 2), raw.substr(close), nesting + 1);
    return name.empty() ? std::string(raw) : name;
  }
  return PlainMemberName(raw);
}

// In the name of a state machine's type the compiler writes - for the dots of the method's name.
std::string StateMachineMethod(std::string_view name) {
  std::string method(name);
  std::replace(method.begin(), method.end(), '-', '.');
  return MemberName(method, 0);
}

bool IsLambdaOrLocal(std::string_view raw_method) {
  if (!raw_method.starts_with('<')) return false;
  const size_t close = ClosingAngle(raw_method, 0);
  return close != std::string_view::npos && close >= 3;
}

void AppendArguments(std::span<const std::string> arguments, std::string& out) {
  if (!arguments.empty()) AppendGeneric("", arguments.size(), arguments, out);
}

}  // namespace

MethodDisplay MethodName(std::string_view raw_type, std::span<const std::string> type_arguments,
                         std::string_view raw_method,
                         std::span<const std::string> method_arguments) {
  MethodDisplay display;
  std::string& out = display.name;
  const std::vector<TypeSegment> segments =
      raw_type.empty() ? std::vector<TypeSegment>() : SplitType(raw_type);
  for (size_t i = 0; i < segments.size(); ++i) {
    const TypeSegment& segment = segments[i];
    const bool is_last = i + 1 == segments.size();
    const auto own = type_arguments.first(std::min(segment.arity, type_arguments.size()));
    type_arguments = type_arguments.subspan(own.size());
    if (!out.empty()) out += '.';
    switch (segment.kind) {
      case TypeSegment::Kind::kPlain:
        if (segments.size() == 1 && own.empty() && segment.arity == 0) {
          out += TypeName(segment.name);
        } else {
          AppendGeneric(segment.name, segment.arity, own, out);
        }
        break;
      case TypeSegment::Kind::kClosure:
        // Nobody wrote it. It is named only where nothing inside it names the place.
        if (is_last ? IsLambdaOrLocal(raw_method)
                    : segments[i + 1].kind == TypeSegment::Kind::kStateMachine ||
                          segments[i + 1].kind == TypeSegment::Kind::kClosure) {
          if (!out.empty()) out.pop_back();
        } else {
          out += "closure";
        }
        break;
      case TypeSegment::Kind::kStateMachine:
        out += StateMachineMethod(segment.name);
        AppendArguments(own, out);
        if (is_last && raw_method == "MoveNext") {
          display.is_state_machine = true;
          return display;
        }
        break;
    }
  }
  if (!out.empty()) out += '.';
  out += MemberName(raw_method, 0);
  AppendArguments(method_arguments, out);
  return display;
}

bool IsPlumbing(std::string_view raw_type, std::string_view raw_method) {
  // Prefixes of types; their nested types and those with arguments are meant too.
  static constexpr std::string_view kPrefixes[] = {
      "System.Runtime.CompilerServices.Async",
      "System.Runtime.CompilerServices.ConfiguredTaskAwaitable",
      "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable",
      "System.Runtime.CompilerServices.PoolingAsync",
      "System.Runtime.CompilerServices.TaskAwaiter",
      "System.Runtime.CompilerServices.ValueTaskAwaiter",
      "System.Runtime.ExceptionServices.ExceptionDispatchInfo",
      "System.Threading.Tasks.AwaitTaskContinuation",
      "System.Threading.Tasks.SynchronizationContextAwaitTaskContinuation",
      "System.Threading.Tasks.TaskContinuation",
  };
  if (std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                  [&](std::string_view prefix) { return raw_type.starts_with(prefix); })) {
    return true;
  }
  if (raw_type == "System.Threading.ExecutionContext") return raw_method.starts_with("Run");
  return raw_type == "System.Threading.Tasks.Task" || raw_type == "System.Threading.Tasks.Task`1";
}

}  // namespace hindsight::analyzer::naming
