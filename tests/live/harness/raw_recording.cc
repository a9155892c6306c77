#include "tests/live/harness/raw_recording.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <unordered_map>

namespace hindsight::live {
namespace {

// A file's bodies concatenate to one message.
Recording Decode(const std::filesystem::path& file) {
  std::string bytes;
  if (FILE* pipe = popen(("zstdcat '" + file.string() + "'").c_str(), "r")) {
    char buffer[64 << 10];
    while (const size_t read = fread(buffer, 1, sizeof(buffer), pipe)) bytes.append(buffer, read);
    pclose(pipe);
  }
  Recording recording;
  EXPECT_TRUE(recording.ParseFromString(bytes)) << file;
  return recording;
}

// The dictionaries of one file.
class Names {
 public:
  void Add(const Packet& packet) {
    if (packet.has_string()) texts_[packet.string().id()] = packet.string().value();
    if (packet.has_type()) types_[packet.type().id()] = packet.type();
    if (packet.has_frame()) frames_[packet.frame().id()] = packet.frame().method();
    if (packet.has_stack()) stacks_[packet.stack().id()] = packet.stack();
    if (packet.has_method() && packet.method().name() != 0) {
      methods_[packet.method().id()] =
          Type(packet.method().type()) + "." + texts_[packet.method().name()];
    }
  }
  std::string Type(uint32_t id) {
    const hindsight::Type& type = types_[id];
    return type.rank() != 0 ? Type(type.element()) + "[]" : texts_[type.name()];
  }
  const std::string& Text(uint32_t id) { return texts_[id]; }
  std::vector<std::string> Stack(uint32_t id) {
    std::vector<std::string> methods;
    for (; id != 0; id = stacks_[id].parent()) {
      methods.push_back(methods_[frames_[stacks_[id].frame()]]);
    }
    return methods;
  }

 private:
  std::unordered_map<uint32_t, std::string> texts_, methods_;
  std::unordered_map<uint32_t, hindsight::Type> types_;
  std::unordered_map<uint32_t, uint32_t> frames_;
  std::unordered_map<uint32_t, hindsight::Stack> stacks_;
};

}  // namespace

RawSnapshot::RawSnapshot(const std::filesystem::path& file) {
  Names names;
  std::unordered_map<uint32_t, uint32_t> os_ids;
  const Recording recording = Decode(file);
  for (const Packet& packet : recording.packet()) {
    names.Add(packet);
    if (packet.has_thread()) os_ids[packet.thread().id()] = packet.thread().os_id();
    for (const int kind : packet.heap_roots().kind()) {
      if (kind == HeapRoots::WEAK_HANDLE) ++weak_handles;
    }
    if (!packet.has_heap_allocations()) continue;
    const HeapAllocations& allocations = packet.heap_allocations();
    has_survivors = true;
    sampling = allocations.sampling();
    stride = allocations.stride();
    uint64_t address = 0;
    for (int i = 0; i < allocations.object_delta_size(); ++i) {
      address += static_cast<uint64_t>(allocations.object_delta(i));
      survivors.push_back({names.Stack(allocations.stack(i)), allocations.size(i),
                           allocations.amount_size() != 0 ? allocations.amount(i) : 0, address,
                           os_ids[allocations.thread(i)]});
    }
  }
}

RawRecording::RawRecording(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hsr") continue;
    compressed_bytes += entry.file_size();
    Names names;
    const Recording recording = Decode(entry.path());
    for (const Packet& packet : recording.packet()) {
      names.Add(packet);
      if (packet.has_garbage_collection()) collections.push_back(packet.garbage_collection());
      if (packet.has_collect_call()) {
        collect_calls.push_back({names.Stack(packet.collect_call().stack())});
      }
      if (packet.has_thread_snapshot()) ++thread_snapshots;
      if (packet.has_suspension()) suspensions.push_back(packet.suspension());
      if (packet.has_jit_sample()) jit.push_back(packet.jit_sample());
      if (packet.has_request_counts()) requests.push_back(packet.request_counts());
      if (packet.has_recorder_note()) not_seen_ns += packet.recorder_note().not_seen_ns();
      if (packet.has_thread()) {
        const hindsight::Thread& thread = packet.thread();
        RawThread& known = threads[thread.id()];
        known.name = names.Text(thread.name());
        known.os_id = thread.os_id();
        known.is_recorder = thread.is_recorder();
        if (thread.creator_stack() != 0) known.creator = names.Stack(thread.creator_stack());
      }
      if (packet.has_lock_wait()) {
        const LockWait& wait = packet.lock_wait();
        lock_waits.push_back({wait.thread(), wait.owner(), names.Stack(wait.stack())});
      }
      if (packet.has_loss()) lost += packet.loss().count();
      const AllocationSamples& samples = packet.allocation_samples();
      for (int i = 0; i < samples.size_size(); ++i) {
        allocations.push_back(
            {names.Type(samples.type(i)), names.Stack(samples.stack(i)), samples.size(i),
             samples.amount_size() != 0 ? samples.amount(i) : 0, samples.sampling(),
             samples.heap_size() != 0 ? samples.heap(i) : AllocationSamples::SMALL});
      }
    }
  }
}

}  // namespace hindsight::live
