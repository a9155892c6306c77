// A heap with a bit of everything, and a file to read it from.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/reader/heap_reader.h"
#include "tests/support/heap_builder.h"
#include "tests/support/heap_encoder.h"
#include "tests/support/recording_builder.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {

// A bit of everything.
inline std::unique_ptr<analyzer::HeapModel> SampleHeap(uint32_t number = 1, int objects = 400) {
  HeapBuilder heap;
  heap.facts().number = number;
  const auto node = heap.Class("Shop.Node", {"_next", "_name", "_items"});
  const auto array = heap.Array("Shop.Node");
  const auto entries = heap.StructArray(heap.Type("Shop.Entry"), {"_key", "_value"}, 24);
  const auto bytes = heap.PlainArray("System.Byte", 1);
  const auto list = heap.Class(
      heap.Type("System.Collections.Generic.List`1", {heap.Type("Shop.Node")}), {"_items"});
  heap.AddValueField(list, "_size");
  heap.AddValueField(heap.String(), "", analyzer::ValueField::Kind::kText);
  std::mt19937 random(number);
  std::vector<analyzer::ObjectId> ids;
  for (int i = 0; i < objects; ++i) {
    if (i == objects / 2) heap.StartGeneration(analyzer::Generation::kGen0);
    switch (random() % 6) {
      case 0:
      case 1:
        ids.push_back(heap.Add(node));
        break;
      case 2:
        ids.push_back(heap.Add(random() % 2 == 0 ? array : entries, random() % 70));
        break;
      case 3:
        ids.push_back(heap.AddString(std::string(random() % 40, 'x')));
        break;
      case 4:
        ids.push_back(heap.Add(bytes, random() % 500));
        break;
      default:
        ids.push_back(heap.Add(list));
        heap.Value(ids.back(), "_size", static_cast<int>(random() % 2000) - 1000);
    }
  }
  // Slots that a class does not have are rejected: those attempts have no effect.
  for (const analyzer::ObjectId id : ids) {
    for (uint64_t slot = 0; slot < 140; ++slot) {
      if (random() % 3 == 0) continue;
      try {
        heap.Refer(id, slot, ids[random() % ids.size()]);
      } catch (const std::logic_error&) {
        break;
      }
    }
  }
  heap.Root(ids[0], analyzer::RootKind::kStack, "Shop.Program.Main");
  heap.Root(ids[5], analyzer::RootKind::kWeakHandle);
  heap.Static("Shop.Cache", "s_all", ids[7]);
  heap.Static("Shop.Cache", "t_mine", ids[8], 4711);
  heap.Dependent(ids[3], ids[4]);
  heap.Monitor({.object = ids[9], .owner_os_id = 11, .owner_managed_id = 1, .waited_for = true});
  heap.Monitor({.object = ids[2], .owner_managed_id = 4, .recursion = 3});
  heap.MonitorsUnknown("Nobody knows.");
  heap.Thread({.os_id = 4711,
               .name = "worker",
               .clr_thread = 0x7f1122334455,
               .managed_id = 4,
               .stack = {"", "Shop.Cart.Add", "Shop.Program.Main"},
               .objects = {{.object = ids[9], .offset = 16},
                           {.object = ids[6], .offset = 160, .frame = 1},
                           {.object = ids[1], .offset = 1600, .frame = 2}},
               .waiting_monitor = ids[9],
               .cpu_ns = 77,
               .state = analyzer::ThreadRunState::kRunning});
  heap.Thread({.os_id = 11, .stack = {"Shop.Cart..ctor", "Shop.Program.Main"}});
  return heap.Build();
}

class HeapReader : public ::testing::Test {
 protected:
  analyzer::Result<std::unique_ptr<analyzer::HeapModel>> Read(const std::string& bytes,
                                                              std::optional<uint32_t> number = {}) {
    WriteFile(path_, bytes);
    return analyzer::ReadHeap({&path_, 1}, number);
  }
  std::vector<analyzer::HeapCheck> Check(const std::string& bytes) {
    WriteFile(path_, bytes);
    auto checks = analyzer::CheckHeaps({&path_, 1});
    return checks ? std::move(checks).value() : std::vector<analyzer::HeapCheck>();
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "heap-000001.hsr";
};

}  // namespace hindsight::testing
