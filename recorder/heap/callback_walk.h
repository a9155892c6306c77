// The last resort: a heap graph from the runtime's own walk (ObjectReferences).
//
// Uses only what the profiling API documents. Sizes, lengths and references of objects are read in
// the callback, while the application is paused; they are sorted and written as batches afterwards.
// References come without nulls, so they cannot be matched to fields. Memory: 48 bytes per object
// and 8 per reference, reserved up to a limit; reaching it ends the walk.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/heap/object_batch.h"
#include "recorder/heap/root_buffer.h"
#include "recorder/names/code_gate.h"

namespace hindsight::recorder {

class CallbackWalk {
 public:
  explicit CallbackWalk(clr::ICorProfilerInfo10* info) : info_(info) {}

  // Before the collection. `string_class`: 0 if not known. False: no address space.
  bool Reserve(uint64_t limit_bytes, clr::ClassID string_class);
  void Release();

  // ObjectReferences, on the collecting thread. False: out of room, the walk should end.
  bool Add(clr::ObjectID object, clr::ClassID type, std::span<const clr::ObjectID> references);

  // Afterwards: the classes found, and the objects in order of address. `as_of_ns`: when the
  // callbacks reported the objects.
  void FillClasses(SnapshotShared& shared, CodeGate& gate, uint64_t as_of_ns);
  bool Write(SnapshotShared& shared, ObjectBatch& batch, uint64_t deadline_ns);
  bool overflowed() const { return overflowed_; }

 private:
  enum class Shape : uint8_t { kUnknown, kClass, kArray, kString };
  struct Object {
    uint64_t address;
    uint64_t type;  // ClassID; later its class number
    uint64_t first_reference;
    uint64_t bytes;
    uint32_t references;
    uint32_t length;  // for arrays and strings
    Shape shape;
  };
  struct Recent {
    clr::ClassID type;
    Shape shape;
  };

  Shape ShapeOf(clr::ClassID type);
  uint32_t LengthOf(clr::ObjectID object, clr::ClassID type, Shape shape);
  void DescribeArray(SnapshotClass& type, CodeGate& gate, uint64_t as_of_ns);

  clr::ICorProfilerInfo10* const info_;
  clr::ClassID string_ = 0;
  uint32_t string_length_offset_ = 8;
  Recent recent_[1024] = {};
  ReservedArray<Object> objects_;
  ReservedArray<uint64_t> references_;
  bool overflowed_ = false;
};

}  // namespace hindsight::recorder
