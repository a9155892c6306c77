#include "analyzer/report/heap/heap_fields.h"

#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/heap/heap_heading.h"

namespace hindsight::analyzer {
namespace {

// How and why it was taken.
Object<HeapFacts> OriginFields() {
  return {
      {"snapshot", "Its number", &HeapFacts::number},
      {"unix_ns", "When, since 1970", &HeapFacts::unix_ns},
      {"trigger", "What triggered it", kHeapTriggers, &HeapFacts::trigger},
      {"method", "How it was taken", kHeapMethods, &HeapFacts::method},
      {"roots", "How the roots were obtained", kRootsMethods, &HeapFacts::roots_method},
      {"fallback_reason", "Why a fallback was used", &HeapFacts::fallback_reason},
  };
}

Object<HeapFacts> ResultFields() {
  return {
      {"result", "complete, or why not", kHeapResults, &HeapFacts::result},
      {"result_reason", "Why it is incomplete", &HeapFacts::result_reason},
  };
}

Object<HeapFacts> CertifiedFields() {
  return {
      {"objects", "Objects", &HeapFacts::certified_objects},
      {"bytes", "Bytes", &HeapFacts::certified_bytes},
      {"free_bytes", "Free space between objects", &HeapFacts::free_bytes},
      {"gc_bytes", "The collector's own count", &HeapFacts::gc_bytes},
      {"slots", "References", &HeapFacts::certified_slots},
      {"roots", "References from roots", &HeapFacts::certified_roots},
  };
}

Object<HeapFacts> BriefCertifiedFields() {
  return {
      {"objects", "Objects", &HeapFacts::certified_objects},
      {"bytes", "Bytes", &HeapFacts::certified_bytes},
      {"slots", "References", &HeapFacts::certified_slots},
      {"roots", "References from roots", &HeapFacts::certified_roots},
  };
}

Object<HeapFacts> PausePartFields() {
  return {
      {"suspend_ns", "Time until all threads had stopped", &HeapFacts::suspend_ns},
      {"collect_ns", "Collections", &HeapFacts::collect_ns},
      {"roots_ns", "Obtaining the roots", &HeapFacts::roots_ns},
      {"fork_ns", "Copying the process", &HeapFacts::fork_ns},
  };
}

Object<HeapFacts> AllPausesFields() {
  constexpr auto kKnown = [](uint64_t HeapFacts::*value) {
    return [value](const HeapFacts& facts) { return If{facts.pauses > 0, facts.*value}; };
  };
  return {
      {"pauses", "Pauses, with those that prepared it", kKnown(&HeapFacts::pauses)},
      {"all_pauses_ns", "Their total", kKnown(&HeapFacts::all_pauses_ns)},
  };
}

Object<HeapFacts> ChildFields() {
  return {
      {"wall_ns", "Time it took", &HeapFacts::child_wall_ns},
      {"cpu_ns", "CPU time", &HeapFacts::child_cpu_ns},
      {"private_bytes", "Its private memory", &HeapFacts::child_private_bytes},
      {"written_bytes", "Written to disk", &HeapFacts::written_bytes},
  };
}

}  // namespace

Object<HeapModel> HeapFields() {
  constexpr auto kFacts = [](auto& model) -> auto& { return model.graph.facts; };
  return {"heap",
          "A heap snapshot",
          {
              {"application", "Name of the application", &HeapModel::application},
              {"pid", "Process id", &HeapModel::pid},
              {"runtime", "Version of the runtime", &HeapModel::runtime_version},
              {"host", "Name of the host", &HeapModel::host},
              {OriginFields(), kFacts},
              {"server_gc", "Whether it is Server GC",
               [](auto& model) { return model.graph.facts.server_gc; }},
              {"concurrent_gc", "Whether background GC is enabled",
               [](auto& model) { return model.graph.facts.concurrent_gc; }},
              {"complete", "Whether it is complete",
               [](auto& model) { return model.graph.facts.complete(); }},
              {ResultFields(), kFacts},
              {"objects", "Objects in it", [](auto& model) { return model.graph.size(); }},
              {"certified", "The snapshot's certificate", CertifiedFields(), kFacts},
              {"pause", "Pause of the application, by part",
               Object<HeapFacts>{
                   {"all_ns", "In total", &HeapFacts::pause_ns},
                   PausePartFields(),
                   AllPausesFields(),
               },
               kFacts},
              {"lost_segments", "Missing segments",
               [](auto& model) { return model.graph.facts.lost_segments; }},
              {"dangling_references", "References to objects missing from the snapshot",
               [](auto& model) { return model.graph.facts.dangling_references; }},
              {"notes", "Notes, as sentences", &HeapNotes},
          }};
}

Object<HeapFacts> HeapSnapshotFields() {
  return {"snapshot",
          "A heap snapshot and what it cost",
          {
              OriginFields(),
              ResultFields(),
              {"certified", "The snapshot's certificate", BriefCertifiedFields()},
              {"pause", "Pause of the application, by part",
               Object<HeapFacts>{
                   PausePartFields(),
                   {"pause_ns", "In total", &HeapFacts::pause_ns},
                   AllPausesFields(),
               }},
              {"child", "The process that wrote it", ChildFields()},
              {"lost_segments", "Missing segments", &HeapFacts::lost_segments},
              {"threads", "Threads in it",
               [](auto& facts) {
                 return If{facts.threads > 0, facts.threads};
               }},
              {"monitors", "Locks examined",
               [](auto& facts) {
                 return If{facts.threads > 0, facts.monitors};
               }},
              {"monitors_unknown_because", "Why locks are unknown; empty: they are known",
               [](auto& facts) {
                 return If{facts.threads > 0, facts.monitors_unknown_because};
               }},
          }};
}

Object<ObjectsAndBytes> ObjectsAndBytesFields() {
  return {
      {"objects", "Objects", &ObjectsAndBytes::objects},
      {"bytes", "Bytes", &ObjectsAndBytes::bytes},
  };
}

}  // namespace hindsight::analyzer
