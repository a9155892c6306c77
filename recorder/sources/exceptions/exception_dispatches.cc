#include "recorder/sources/exceptions/exception_dispatches.h"

#include "recorder/base/load_word.h"
#include "recorder/base/own_memory.h"
#include "recorder/base/runtime_contract.h"

namespace hindsight::recorder {

bool ExceptionDispatches::Open(std::string_view contract) {
  if (ContractVersion(contract, "Thread") != 1 || ContractVersion(contract, "Exception") != 1) {
    return false;
  }
  const struct {
    const char* type;
    const char* field;
    uint32_t& offset;
  } wanted[] = {
      {"Thread", "OSId", os_id_},
      {"Thread", "PreemptiveGCDisabled", cooperative_},
      {"Thread", "ExceptionTracker", innermost_},
      {"ExceptionInfo", "ThrownObject", object_},
      {"ExceptionInfo", "PreviousNestedInfo", next_},
  };
  for (const auto& [type, field, offset] : wanted) {
    const auto found = FieldOffset(contract, type, field);
    if (!found) return false;
    offset = *found;
  }
  return true;
}

bool ExceptionDispatches::Read(clr::ThreadID thread, uint32_t os_id, Dispatches& out) const {
  if (thread == 0 || LoadWord32(thread + os_id_) != os_id) return false;
  out.count = 0;
  uintptr_t record = LoadWord(thread + innermost_);
  while (record != 0 && out.count < out.records.size()) {
    out.records[out.count++] = record;
    record = LoadWord(record + next_);
  }
  out.complete = record == 0;
  if (out.count == 0) return false;
  // A handle: the address of the slot that contains the object's address.
  const bool cooperative = LoadWord32(thread + cooperative_) != 0;
  const uintptr_t handle = cooperative ? LoadWord(out.records[0] + object_) : 0;
  out.thrown = handle != 0 ? LoadWord(handle) : 0;
  return true;
}

// The kernel does the reading, which fails if memory has been unmapped in the meantime.
bool ExceptionDispatches::Look(clr::ThreadID thread, uintptr_t& innermost,
                               uintptr_t& around) const {
  around = 0;
  if (!ReadOwnWord(thread + innermost_, innermost)) return false;
  return innermost == 0 || ReadOwnWord(innermost + next_, around);
}

}  // namespace hindsight::recorder
