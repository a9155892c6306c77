// Names of methods as a C# programmer knows them: reassembles what the compiler split up.
//
//   metadata                                                   C#
//   Shop.Cart+<AddAsync>d__4       MoveNext                    Shop.Cart.AddAsync
//   Shop.Program+<>c               <Main>b__0_1                Shop.Program.Main.lambda#1
//   Shop.Cart+<>c__DisplayClass3_0 <Add>b__2                   Shop.Cart.Add.lambda#2
//   Shop.Cart                      <Add>g__Retry|0_1           Shop.Cart.Add.Retry (local function)
//   Program                        <Main>$                     Program.Main (top-level statements)
//   Shop.Cart                      get_Count                   Shop.Cart.Count.get
//   Shop.Cart                      get_Item                    Shop.Cart.this[].get
//   Shop.Cart                      op_Addition                 Shop.Cart.operator +
//   Shop.Cart                      Shop.IBag<System.Int32>.Add Shop.Cart.IBag<int>.Add
//   Shop.Cart                      .ctor                       Shop.Cart..ctor
//
// The number of a lambda is the compiler's: stable for one build. Accepts any bytes, as the
// functions in type_names.h do.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer::naming {

struct MethodDisplay {
  std::string name;
  // The body of an async method or an iterator: its catch-all handler may store an exception in the
  // task instead of handling it.
  bool is_state_machine = false;
};

// `raw_type` and `type_arguments` as for TypeName; an empty `raw_type` for code without a type.
MethodDisplay MethodName(std::string_view raw_type, std::span<const std::string> type_arguments,
                         std::string_view raw_method,
                         std::span<const std::string> method_arguments = {});

// A method through which exceptions pass, but that is no one's code: the machinery of tasks and
// async methods. Both names as in the metadata.
bool IsPlumbing(std::string_view raw_type, std::string_view raw_method);

}  // namespace hindsight::analyzer::naming
