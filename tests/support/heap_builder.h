// Heaps for tests, made in memory: no recording needed.
//
//   HeapBuilder heap;
//   const ClassIndex node = heap.Class("Shop.Node", {"_next", "_value"});
//   const ObjectId a = heap.Add(node), b = heap.Add(node);
//   heap.Refer(a, "_next", b);
//   heap.Static("Shop.Cache", "s_head", a);
//   const std::unique_ptr<HeapModel> model = heap.Build();
//
// Ids are the order of adding, from 0, and so are addresses. Wrong use throws std::logic_error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::testing {

struct HeapThreadSpec {
  uint32_t os_id = 0;
  std::string name = {};
  uint64_t clr_thread = 0;
  uint32_t managed_id = 0;
  std::vector<std::string> stack =
      {};  // innermost first; a method as in HeapBuilder::Root, "" native
  std::vector<analyzer::HeapStackObject> objects = {};
  analyzer::ObjectId waiting_monitor = analyzer::kNoObject;
  uint64_t cpu_ns = 0;
  analyzer::ThreadRunState state = analyzer::ThreadRunState::kSleeping;
};

class HeapBuilder {
 public:
  using ClassIndex = analyzer::ClassIndex;
  using ObjectId = analyzer::ObjectId;

  HeapBuilder();
  ~HeapBuilder();

  // A type by its raw name ("System.Collections.Generic.List`1"); its arguments are separate.
  analyzer::TypeId Type(std::string_view name, std::vector<analyzer::TypeId> arguments = {});
  analyzer::TypeId ArrayType(analyzer::TypeId element);

  // Slots are consecutive from offset 8 on; `bytes` defaults to what they need.
  ClassIndex Class(std::string_view name, std::vector<std::string> slots = {}, uint32_t bytes = 0);
  ClassIndex Class(analyzer::TypeId type, std::vector<std::string> slots = {}, uint32_t bytes = 0);
  // An array of references; the one slot of an element has no name.
  ClassIndex Array(std::string_view element);
  ClassIndex Array(analyzer::TypeId element);
  // An array of structs with these slots.
  ClassIndex StructArray(analyzer::TypeId element, std::vector<std::string> slots,
                         uint32_t element_bytes = 0);
  // An array of elements without references: byte[].
  ClassIndex PlainArray(std::string_view element, uint32_t element_bytes);
  ClassIndex String();                          // System.String
  analyzer::HeapClass& Edit(ClassIndex index);  // base, finalizable, kind; until Build
  // Before the first object of the class. `name` as in HeapClass::slot_names.
  void AddValueField(ClassIndex index, std::string_view name,
                     analyzer::ValueField::Kind kind = analyzer::ValueField::Kind::kSigned);

  // Objects from here on belong to `generation`; gen2 at first.
  void StartGeneration(analyzer::Generation generation);
  ObjectId Add(ClassIndex index, uint64_t length = 0);
  ObjectId AddString(
      std::string_view text);  // its length; the text only if String has a TEXT field
  // Slots that are never set are null.
  void Refer(ObjectId from, std::string_view slot, ObjectId to);
  // Slots are counted as HeapGraph::SlotOfReference does: for an array of references, by element.
  void Refer(ObjectId from, uint64_t slot, ObjectId to);
  void Value(ObjectId object, std::string_view field, int64_t value);
  void Text(ObjectId object, std::string_view field, std::string_view text);

  // `method`: "Shop.Cart.Add"; the part before the last dot is the declaring type.
  void Root(ObjectId object, analyzer::RootKind kind = analyzer::RootKind::kStrongHandle,
            std::string_view method = "");
  // A slot of an array that Build adds after all objects, with a pinned handle to it.
  void Static(std::string_view type, std::string_view field, ObjectId object,
              uint32_t thread_os_id = 0);
  void Dependent(ObjectId key, ObjectId value);

  //   heap.Monitor({.object = a, .owner_os_id = 11, .owner_managed_id = 1, .waited_for = true});
  void Monitor(analyzer::HeapMonitor state);
  void MonitorsUnknown(std::string_view because);
  //   heap.Thread({.os_id = 12, .stack = {"Shop.B.Pay", "Shop.Program.Main"},
  //                .objects = {{.object = a, .frame = 0}}, .waiting_monitor = a});
  void Thread(const HeapThreadSpec& thread);

  // A sampled allocation of `object` whose sample stands for one object of its size; the stack
  // innermost first, each method as in Root.
  void Survivor(ObjectId object, const std::vector<std::string>& stack, uint64_t age_ns = 0);

  analyzer::HeapFacts& facts();
  analyzer::Dictionaries& dictionaries();

  std::unique_ptr<analyzer::HeapModel> Build();  // once

 private:
  struct State;
  analyzer::MethodId MethodOf(std::string_view name);

  std::unique_ptr<State> state_;
};

}  // namespace hindsight::testing
