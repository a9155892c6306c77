// Names of fields as a C# programmer knows them.
//
//   metadata                   C#
//   <Items>k__BackingField     Items         an automatic property
//   <>4__this                  this          of a lambda, an async method or an iterator
//   <order>5__2                order         a local that outlives an await or a yield
//   <>3__order, <order>P       order         a parameter
//   <>2__current               current
//   <>t__builder               builder
//   <>u__1                     awaiter#1     what an async method awaits
//   <>8__1, CS$<>8__locals1    closure#1     captured variables
//   <>7__wrap1, <>s__1         temporary#1
//   <>9                        instance      of a class of lambdas that capture nothing
//   <>9__0_1                   lambda#1      a cached delegate
//
// A path into embedded structs (_key._name) is split at its dots. Accepts any bytes, in linear
// time: names that do not match a pattern of the compiler stay unchanged.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::analyzer::naming {

std::string FieldName(std::string_view raw);

}  // namespace hindsight::analyzer::naming
