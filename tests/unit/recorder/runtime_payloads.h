// Payloads of the runtime's events, as the runtime lays them out.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace hindsight::recorder {

class Payload {
 public:
  template <typename T>
  Payload& Add(T value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    return *this;
  }
  Payload& Text(std::u16string_view text) {
    for (const char16_t unit : text) Add(unit);
    return Add(u'\0');
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

inline Payload GcStart(uint32_t number, uint32_t generation, uint32_t reason, uint32_t type) {
  return Payload()
      .Add(number)
      .Add(generation)
      .Add(reason)
      .Add(type)
      .Add(uint16_t{0})
      .Add(uint64_t{0});
}
inline Payload GcEnd(uint32_t number, uint32_t generation) {
  return Payload().Add(number).Add(generation).Add(uint16_t{0});
}
// Sizes and promoted bytes of generation i: base + 10 i, base + 10 i + 1.
inline Payload GcHeapStats(uint64_t base) {
  Payload payload;
  for (uint64_t i = 0; i < 4; ++i) payload.Add(base + 10 * i).Add(base + 10 * i + 1);
  payload.Add(uint64_t{4096}).Add(uint64_t{7});                                  // finalizable
  payload.Add(uint32_t{5}).Add(uint32_t{6}).Add(uint32_t{77}).Add(uint16_t{0});  // pinned, handles
  return payload.Add(base + 40).Add(base + 41);
}
// Word k of generation i: base + 100 i + k.
inline Payload GcPerHeapHistory(uint64_t base, uint32_t generations = 5) {
  Payload payload;
  payload.Add(uint16_t{0});
  for (int i = 0; i < 6; ++i) payload.Add(uint64_t{0});
  for (int i = 0; i < 6; ++i) payload.Add(uint32_t{0});
  payload.Add(uint64_t{0}).Add(generations);
  for (uint64_t i = 0; i < generations; ++i) {
    for (uint64_t k = 0; k < 10; ++k) payload.Add(base + 100 * i + k);
  }
  return payload;
}
inline Payload GcGlobalHeapHistory(uint32_t heaps, uint32_t mechanisms, uint32_t load) {
  return Payload()
      .Add(uint64_t{0})
      .Add(heaps)
      .Add(uint32_t{0})
      .Add(uint32_t{0})
      .Add(uint32_t{0})
      .Add(mechanisms)
      .Add(uint16_t{0})
      .Add(uint32_t{0})
      .Add(load);
}
inline Payload GcCommittedUsage(uint64_t each) {
  Payload payload;
  payload.Text(u"CommittedUsage").Add(uint32_t{42}).Add(uint16_t{1});
  for (int i = 0; i < 5; ++i) payload.Add(each);
  return payload.Add(uint16_t{0});
}
inline Payload AllocationTick(uint64_t amount, uint32_t kind, uint64_t type, uint64_t address,
                              uint64_t size) {
  return Payload()
      .Add(static_cast<uint32_t>(amount))
      .Add(kind)
      .Add(uint16_t{0})
      .Add(amount)
      .Add(type)
      .Text(u"System.String")
      .Add(uint32_t{0})
      .Add(address)
      .Add(size);
}
inline Payload AllocationSampled(uint32_t kind, uint64_t type, uint64_t address, uint64_t size) {
  return Payload()
      .Add(kind)
      .Add(uint16_t{0})
      .Add(type)
      .Text(u"System.Byte[]")
      .Add(address)
      .Add(size)
      .Add(uint64_t{3});
}

}  // namespace hindsight::recorder
