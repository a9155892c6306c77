// Places: the method of your code where an exception, wait or allocation happened; such events are
// counted by place.
//
//   Places places(model);
//   const PlaceId id = places.Of(path);        // innermost first
//   names.Display(places[id].site)             // Shop.Cart.Add
//   names.Display(places[id].through)          // System.Linq.Enumerable.First<T>
//
// The site is the innermost method of yours: of the application's own assemblies (module_owners.h).
// What it called of others' code, down to where it happened, is reported as `through`; that is not
// part of the place, because the JIT inlines it differently from tier to tier. The callers of the
// site do not matter for the place, nor which of its bodies or instantiations ran. So the following
// are one place: tiers and generic instantiations; an async method and its stub, before and after
// an await; any machinery of tasks and of the pool in between; DynamicMethods; the surrounding
// middleware. Two lambdas of one method are two places: they are two pieces of code.
//
// Frames further out than an async method that resumes after an await have not called it: they
// belong to the pool, or to whoever completed what it awaited. So no site is looked for there.
//
// A method of yours that only passes a request on along the server's pipeline (middleware, filters)
// is not the site of what happens further down. If no method of yours is left, the site is the
// innermost method of a package or, failing that, of the framework, that neither throws nor waits
// on behalf of others.
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
  MethodId site = 0;     // 0: unknown
  MethodId through = 0;  // 0: it happened in the site itself
  bool is_yours = false;
};

using PlaceId = uint32_t;  // 0: the place of a path without a method

// One thread.
class Places {
 public:
  // `model` must outlive this, and gets no further names.
  explicit Places(const Model& model) : Places(model.dictionaries, model.facts.application) {}
  // For a heap snapshot. `application`: the entry assembly's name.
  Places(const Dictionaries& dictionaries, std::string_view application);

  // `path` is ordered from the innermost frame outwards. Equal places have the same id. `through`
  // is that of the first path that was passed: use `Find` for that of another.
  PlaceId Of(std::span<const MethodId> path);
  PlaceId Of(StackId stack) { return Of(dictionaries_.Path(stack)); }
  const Place& operator[](PlaceId id) const { return places_[id]; }

  Place Find(std::span<const MethodId> path);
  // The frames of `path` that actually called what ran: beyond a resumed async method, frames have
  // only completed what it awaited.
  std::span<const MethodId> BeforeResume(std::span<const MethodId> path);
  FrameKinds& kinds() { return kinds_; }

  // Code of a server through which requests pass on their way to handlers.
  bool IsPipeline(MethodId method);
  // Code that was generated at run time.
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
