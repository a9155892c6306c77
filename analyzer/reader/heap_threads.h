// A snapshot's threads and locks: monitors, and every thread with its stack.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/model/heap_columns.h"
#include "analyzer/reader/file_dictionary.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Takes packets that CheckPacket has accepted. Not thread-safe.
class HeapThreads {
 public:
  explicit HeapThreads(FileDictionary& names) : names_(names) {}

  void Add(const hindsight::Thread& thread);
  void Add(const hindsight::HeapThread& thread);
  void Add(const HeapMonitors& monitors);

  // Once `columns` has its objects. Whatever refers to a missing object is left out.
  void Resolve(HeapColumns& columns) const;
  uint32_t OsId(uint32_t thread) const;  // 0: unknown

  uint64_t threads() const { return states_.size(); }
  uint64_t monitors() const { return monitors_.size(); }
  const std::string& monitors_unknown_because() const { return monitors_unknown_because_; }

 private:
  struct Name {
    uint32_t os_id = 0;
    StringId name = 0;
  };
  struct StackObject {
    uint64_t address = 0;
    uint32_t offset = 0;
    uint32_t frame = 0;
  };
  struct State {
    uint32_t thread = 0;  // in the file
    HeapThread thread_state;
    std::vector<StackObject> objects;
    uint64_t waiting_monitor = 0;  // address
  };
  struct Monitor {
    uint64_t address = 0;
    HeapMonitor state;
  };

  FileDictionary& names_;
  std::unordered_map<uint32_t, Name> threads_;
  std::vector<State> states_;
  std::vector<Monitor> monitors_;
  std::string monitors_unknown_because_;
};

// Sets names and managed ids of the threads in `columns` from their objects in the heap: full
// names, while the kernel keeps 15 characters.
void NameThreads(HeapColumns& columns, Dictionaries& dictionaries);

}  // namespace hindsight::analyzer
