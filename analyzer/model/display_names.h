// The names of a model's types and methods, as a C# programmer knows them.
#pragma once

#include <string>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

// Shop.Cart<int>; "?" for an unknown type. Arguments are followed to a depth of 16; if they are
// longer than 160 bytes, they have neither namespaces nor arguments of their own: Cart<List<...>>.
std::string TypeDisplayName(const Dictionaries& dictionaries, TypeId id);

// The same without namespaces: Cart<int>, Dictionary<string, Item>.Entry[]. The state of an async
// method between its awaits is called `async Cart.AddAsync`.
std::string TypeBriefName(const Dictionaries& dictionaries, TypeId id);

// Shop.Cart.AddAsync; for native code libm.so.6!sin; "[native code]" if the method is unknown.
std::string MethodDisplayName(const Dictionaries& dictionaries, MethodId id);

// Namespace.Type+Nested.Method as in the metadata; empty if the method is unknown.
std::string MethodRawName(const Dictionaries& dictionaries, MethodId id);

// The body of an async method or an iterator.
bool IsStateMachine(const Dictionaries& dictionaries, MethodId id);

}  // namespace hindsight::analyzer
