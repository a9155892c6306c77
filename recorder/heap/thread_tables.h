// Threads and locks of a snapshot as packets: proto HeapThread, HeapMonitors, and the file's Thread
// entries. The snapshot's thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/heap/thread_memory.h"
#include "recorder/heap/walked_threads.h"

namespace hindsight::recorder {

class ThreadTables {
 public:
  ThreadTables(DictionaryWriter& dictionaries, PacketWriter& packets)
      : dictionaries_(dictionaries), packets_(packets) {}

  // Thread.id; its entry is written when it is first needed; 0 stays 0.
  uint32_t Entry(clr::ThreadID thread, uint32_t os_id);
  // Likewise for a thread that may have ended.
  uint32_t EntryOf(uint32_t os_id);

  // `memory`: what the child has filled; null: there was no child, or it did not get that far.
  // `as_of_ns`: a time before the threads were walked, at which the code on their stacks was
  // loaded.
  void WriteMonitors(const ThreadMemory* memory);
  void WriteThreads(const WalkedThreads& walked, uint64_t as_of_ns, const ThreadMemory* memory);

 private:
  void WriteEntry(uint32_t id, uint32_t os_id);
  void WriteThread(const WalkedThread& thread, std::span<const uintptr_t> frames,
                   const ScannedThread* scanned, const ThreadMemory* memory);
  // Ends the segment if it is full.
  void Room();

  DictionaryWriter& dictionaries_;
  PacketWriter& packets_;
  std::unordered_map<clr::ThreadID, uint32_t> ids_;
  std::unordered_map<uint32_t, uint32_t> by_os_id_;
  uint32_t next_id_ = 1;
};

// Why monitors are missing, as a sentence; empty if they are not.
std::string WhyUnknown(const ThreadMemory* memory);

}  // namespace hindsight::recorder
