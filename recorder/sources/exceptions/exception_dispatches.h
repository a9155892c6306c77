// The exceptions in flight on a thread, as .NET 9 and later keep them: a chain of records, one for
// each exception whose handler is being searched or runs. Each record is on the thread's stack
// where the exception was thrown, so its address names the throw for as long as it is in flight.
//
// The runtime's description of itself says where everything is (base/runtime_contract.h, contracts
// Thread and Exception, version 1).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/clr/types.h"

namespace hindsight::recorder {

// Those of one thread at one moment, innermost first.
struct Dispatches {
  std::array<uintptr_t, 32> records;
  size_t count = 0;
  bool complete = false;     // there are no more of them
  clr::ObjectID thrown = 0;  // by the innermost; valid until the event's callback returns

  uintptr_t innermost() const { return count != 0 ? records[0] : 0; }
  // Whether the exception with this record is in flight around the innermost one, or may be.
  bool IsAround(uintptr_t record) const {
    if (count == 0 || !complete) return true;
    return std::find(records.begin() + 1, records.begin() + count, record) !=
           records.begin() + count;
  }
};

class ExceptionDispatches {
 public:
  // Reads the runtime's description. False: it has none, or one that is not known here. Before any
  // other call.
  bool Open(std::string_view contract);

  // Of the calling thread, inside a callback in which it is in cooperative mode: no collection
  // moves the object in the meantime. `os_id`: the thread's, to check that the description is
  // right. False: it is not, or nothing is in flight.
  bool Read(clr::ThreadID thread, uint32_t os_id, Dispatches& out) const;
  // Of any thread, even one that has just ended: the records of the innermost exception and of the
  // one around it; 0: none. False: the memory cannot be read. Two system calls, a microsecond each.
  bool Look(clr::ThreadID thread, uintptr_t& innermost, uintptr_t& around) const;

 private:
  uint32_t os_id_ = 0, cooperative_ = 0, innermost_ = 0;  // offsets in a thread
  uint32_t object_ = 0, next_ = 0;                        // offsets in a record
};

}  // namespace hindsight::recorder
