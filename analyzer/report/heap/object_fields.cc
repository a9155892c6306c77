#include "analyzer/report/heap/object_fields.h"

#include "analyzer/analyses/heap/generations.h"
#include "analyzer/report/heap/heap_heading.h"

namespace hindsight::analyzer {

Object<ObjectId, HeapContext> ObjectIdFields() {
  return {
      {"address", "Of the object in the snapshot, hexadecimal",
       [](auto& id, auto& heap) { return AddressText(heap.model->graph.Address(id)); }},
      {"type", "A type, as C# writes it",
       [](auto& id, auto& heap) {
         const HeapGraph& graph = heap.model->graph;
         return TypeDisplayName(heap.model->dictionaries, graph.classes()[graph.ClassOf(id)].type);
       }},
  };
}

Object<ObjectId, HeapContext> ObjectSizeFields() {
  return {
      {"bytes", "Shallow size", [](auto& id, auto& heap) { return heap.model->graph.Bytes(id); }},
  };
}

Object<ObjectId, HeapContext> ObjectGenerationFields() {
  return {
      {"generation", "Where it is: gen0, gen1, gen2, large, pinned, frozen",
       [](auto& id, auto& heap) {
         return std::string_view(GenerationName(heap.model->graph.GenerationOf(id)));
       }},
  };
}

Object<ObjectId, HeapContext> ObjectRetainedFields() {
  return {
      {"retained_bytes", "Retained size; 0: unreachable",
       [](auto& id, auto& heap) { return heap.dominators->retained[id]; }},
  };
}

Object<ObjectId, HeapContext> HeldObjectFields() {
  return {
      ObjectIdFields(),
      ObjectRetainedFields(),
  };
}

}  // namespace hindsight::analyzer
