// The C# keywords for built-in types. Recordings name types as C# does, so both sides need them:
// the recorder when it reads signatures, the analyzer for names that come from the runtime.
#pragma once

#include <string_view>
#include <utility>

namespace hindsight {

inline constexpr std::pair<std::string_view, std::string_view> kCsharpKeywords[] = {
    {"System.Boolean", "bool"},    {"System.Byte", "byte"},     {"System.Char", "char"},
    {"System.Decimal", "decimal"}, {"System.Double", "double"}, {"System.Int16", "short"},
    {"System.Int32", "int"},       {"System.Int64", "long"},    {"System.IntPtr", "nint"},
    {"System.Object", "object"},   {"System.SByte", "sbyte"},   {"System.Single", "float"},
    {"System.String", "string"},   {"System.UInt16", "ushort"}, {"System.UInt32", "uint"},
    {"System.UInt64", "ulong"},    {"System.UIntPtr", "nuint"}, {"System.Void", "void"},
};

// Empty: it has none.
constexpr std::string_view CsharpKeyword(std::string_view type) {
  for (const auto& [name, keyword] : kCsharpKeywords) {
    if (name == type) return keyword;
  }
  return {};
}

}  // namespace hindsight
