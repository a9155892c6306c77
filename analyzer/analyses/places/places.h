// Places: the method of your code where an exception, wait or allocation happened; all counts of
// such events are by place.
//
//   Places places(model);
//   const PlaceId id = places.Of(path);        // innermost first
//   names.Display(places[id].site)             // Shop.Cart.Add
//   names.Display(places[id].through)          // System.Linq.Enumerable.First<T>
//
// The site is the innermost method of yours: of the application's own assemblies (module_owners.h).
// What it called of others' code, down to where it happened, is reported as `through`; that is not
// part of the place, because the JIT inlines it differently from tier to tier. Whatever is above
// the site, and which of several bodies or instantiations of it ran, makes no other place. So the
// following are one: tiers and generic instantiations; an async method and its stub, before and
// after an await; any machinery of tasks and of the pool in between; DynamicMethods; the middleware
// around. Two lambdas of one method are two places: they are two pieces of code.
//
// What is further out than an async method that goes on after an await has not called it: the pool,
// or whoever completed what it awaited. So no site is looked for there.
//
// A method of yours that only passes a request on along the server's pipeline (middleware, filters)
// is no site of what happens further down. Where nothing of yours is left, the site is the
// innermost method of a package, or else of the framework, that neither throws nor waits on behalf
// of others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct Place {
  MethodId site = 0;     // 0: no method is known
  MethodId through = 0;  // 0: it happened in the site itself
  bool is_yours = false;
};

using PlaceId = uint32_t;  // 0: the place of a path without a method

// One thread.
class Places {
 public:
  // `model` outlives this, and gets no further names.
  explicit Places(const Model& model) : Places(model.dictionaries, model.facts.application) {}
  // Of a heap snapshot. `application`: the entry assembly's name.
  Places(const Dictionaries& dictionaries, std::string_view application);

  // `path` from the innermost frame outwards. The same id for the same place. `through` is that of
  // the first path that came: ask `Find` for that of another.
  PlaceId Of(std::span<const MethodId> path);
  PlaceId Of(StackId stack) { return Of(dictionaries_.Path(stack)); }
  const Place& operator[](PlaceId id) const { return places_[id]; }

  Place Find(std::span<const MethodId> path);
  // The frames of `path` as far as what ran was called: where an async method resumes, what lies
  // further out has only completed what it awaited.
  std::span<const MethodId> BeforeResume(std::span<const MethodId> path);
  FrameKinds& kinds() { return kinds_; }

  // Of a server: code through which requests go on their way to handlers.
  bool IsPipeline(MethodId method);
  // Code that was made at run time.
  bool IsDynamic(MethodId method) const { return dictionaries_.method(method).is_dynamic; }

  // The body of an async method or an iterator.
  bool IsStateMachine(MethodId method);

 private:
  bool IsLeftOut(MethodId method);
  uint32_t NameOf(MethodId method);

  const Dictionaries& dictionaries_;
  FrameKinds kinds_;
  std::vector<Place> places_{1};
  std::unordered_map<uint32_t, PlaceId> index_;  // by the site's name
  std::unordered_map<std::string, uint32_t> names_;
  std::unordered_map<MethodId, uint32_t> name_of_;
  std::unordered_map<MethodId, bool> pipeline_;
  std::unordered_map<MethodId, bool> state_machines_;
};

}  // namespace hindsight::analyzer
