// Names of types as a C# programmer writes them, from the names in the metadata.
//
// Accepts any bytes: names that do not match a pattern of the compiler stay unchanged. Pure and
// thread-safe. Time and size of the result are linear in the input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer::naming {

// `raw` as in the metadata: `Namespace.Outer`1+Inner`. `arguments` are C# names, those of outer
// types first; empty for an open generic type. Arguments that the runtime shares among reference
// types (System.__Canon) become T, or T1, T2, ...
//
//   System.Int32                      int
//   System.Nullable`1 [int]           int?
//   Shop.Map`2 [string, int]          Shop.Map<string, int>
//   Shop.Outer`1+Inner [int]          Shop.Outer<int>.Inner
std::string TypeName(std::string_view raw, std::span<const std::string> arguments = {});

// The C# name of an array with `rank` dimensions of `element`, a C# name: int -> int[], int[,] ->
// int[][,].
std::string ArrayName(std::string_view element, uint32_t rank);

// The name without namespaces and outer types, also in its arguments:
// System.Collections.Generic.List<Shop.Item> -> List<Item>. `name` is a C# name.
std::string ShortTypeName(std::string_view name);

// How MethodName splits up a nested type.
struct TypeSegment {
  enum class Kind {
    kPlain,
    kClosure,       // <>c, <>c__DisplayClass3_0: contains lambdas and what they capture
    kStateMachine,  // <AddAsync>d__4: the body of an async method or an iterator
  };
  Kind kind = Kind::kPlain;
  std::string_view name;  // without arity; for a state machine the method's name in the metadata
  size_t arity = 0;
};

// Outermost first. Views into `raw`.
std::vector<TypeSegment> SplitType(std::string_view raw);
bool IsStateMachineType(std::string_view raw);

// `name<arguments>`; without arguments, `arity` blank ones: Dictionary<,>.
void AppendGeneric(std::string_view name, size_t arity, std::span<const std::string> arguments,
                   std::string& out);

// Offset just after the `>` that closes the `<` at `open`; npos if none does.
size_t ClosingAngle(std::string_view text, size_t open);

// At least one character, and only digits.
inline bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace hindsight::analyzer::naming
