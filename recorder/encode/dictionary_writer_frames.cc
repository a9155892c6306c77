// Addresses and stacks.
#include <algorithm>
#include <utility>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/stack/guessed_frame.h"
#include "recorder/stack/sampled_place.h"

namespace hindsight::recorder {

uint32_t DictionaryWriter::Frame(uintptr_t ip, AddressKind kind) {
  if (ip == 0) return 0;
  if (const uint32_t known = frames_.Find(FrameKey(ip, kind))) return known;
  CodeDescription code;
  return AskCode(ip, kind, code) ? WriteFrame(ip, kind, code) : DoubtfulFrame(ip, kind);
}

// An address without a name: it may have had one before something was unloaded, or get one when it
// is queried again. So it is not kept in any table that lasts.
uint32_t DictionaryWriter::DoubtfulFrame(uintptr_t ip, AddressKind kind) {
  doubted_ = true;
  const uintptr_t key = FrameKey(ip, kind);
  if (const uint32_t known = doubtful_.Find(key)) return known;
  Bound(doubtful_, kMaxEntries);
  const uint32_t id = next_frame_++;
  packets_.Write(wire::Packet::kFrame, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kAddress, ip);
  });
  doubtful_.Set(key, id);
  return id;
}

void DictionaryWriter::NoteDynamic(clr::FunctionID function, uintptr_t frame_key) {
  if (dynamic_.size() >= kMaxEntries) {  // what is not in this set cannot be forgotten
    ForgetRuntimeIds();
    doubted_ = true;  // the stack may contain other dynamic methods
  }
  dynamic_.insert({function, 0});
  dynamic_.insert({function, frame_key});
}

void DictionaryWriter::NoteIfDynamic(clr::FunctionID function, uintptr_t frame_key) {
  if (dynamic_.contains({function, 0})) NoteDynamic(function, frame_key);
}

// A frame that is not in the file yet. `code` is empty if nothing is known about it.
uint32_t DictionaryWriter::WriteFrame(uintptr_t ip, AddressKind kind, const CodeDescription& code) {
  const uint32_t method = code.function != 0 ? MethodOf(code) : 0;
  if (method == 0) return DoubtfulFrame(ip, kind);
  const uint32_t native_offset = code.NativeOffset(ip, kind).value_or(0);
  const auto il = code.IlOffset(ip, kind);
  const int32_t il_offset = il ? static_cast<int32_t>(*il) + 1 : 0;  // as the schema requires
  Bound(frames_, kMaxEntries);
  const uint32_t id = next_frame_++;
  packets_.Write(wire::Packet::kFrame, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kMethod, method);
    entry.Set(entry.kAddress, ip);
    if (native_offset != 0) entry.Set(entry.kNativeOffset, native_offset);
    if (il_offset != 0) entry.Set(entry.kIlOffset, il_offset);
    if (inlining_known_ && inline_trees_.Find(code.start()) == nullptr) {
      entry.Set(entry.kHidesInlined, true);
    }
  });
  NoteIfDynamic(code.function, FrameKey(ip, kind));
  if (code.il_map_put_off) {  // it is queried again
    doubted_ = true;
  } else {
    frames_.Set(FrameKey(ip, kind), id);
  }
  if (const auto role = method_roles_.find(method); role != method_roles_.end()) {
    frame_roles_.emplace(id, role->second);
  }
  return id;
}

uint32_t DictionaryWriter::SampledFrame(uintptr_t ip, AddressKind kind) {
  if (ip == 0) return 0;
  const uintptr_t key = FrameKey(ip, kind);
  if (const uint32_t known = sampled_.Find(key)) return known;
  if (const uint32_t known = native_frames_.Find(key)) return known;
  NativeFunction function;
  const bool is_native = native_names_.Describe(InstructionAt(ip, kind), function);
  if (native_changes_ != native_names_.changes()) {
    native_changes_ = native_names_.changes();
    native_modules_.Clear();
    native_methods_.Clear();
    native_frames_.Clear();
    recent_sampled_.Clear();
  }
  if (is_native) return NativeFrame(ip, kind, function);
  doubted_ = false;
  const uint32_t id = ManagedFrame(ip, kind);
  if (doubted_) return id;
  Bound(sampled_, kMaxEntries);
  sampled_.Set(key, id);
  return id;
}

uint32_t DictionaryWriter::ManagedFrame(uintptr_t ip, AddressKind kind) {
  CodeDescription code;
  if (!AskCode(ip, kind, code)) return DoubtfulFrame(ip, kind);
  if (code.function == 0) return StubFrame(ip);
  if (const uint32_t id = InlinedFrames(ip, kind, code)) return id;
  const uintptr_t place = kind == AddressKind::kExact ? code.PlaceOf(ip).value_or(ip) : ip;
  const uint32_t known = frames_.Find(FrameKey(place, kind));
  const uint32_t id = known != 0 ? known : WriteFrame(place, kind, code);
  NoteIfDynamic(code.function, FrameKey(ip, kind));
  return id;
}

// If methods were inlined at this address: the frame of the body's own method, which is the key of
// the others in inlined_. 0: none were.
uint32_t DictionaryWriter::InlinedFrames(uintptr_t ip, AddressKind kind,
                                         const CodeDescription& code) {
  const InlineTree* const tree = inline_trees_.Find(code.start());
  const auto offset = code.NativeOffset(ip, kind);
  if (tree == nullptr || !tree->has_inlined() || !offset) return 0;
  // The instruction before a return address is the call.
  const auto at = static_cast<uint32_t>(InstructionAt(*offset, kind));
  const uint32_t native_offset = kind == AddressKind::kExact ? tree->PlaceOf(at) : *offset;
  // For a method that was split, this is not exact: its parts have addresses of their own.
  const uintptr_t address = code.start() + native_offset;
  const uintptr_t key = FrameKey(address, kind);
  if (const uint32_t known = inlining_frames_.Find(key)) return known;
  const std::vector<InlinedPlace> places = tree->At(at);
  if (places.empty()) return 0;
  std::vector<uint32_t> methods = {MethodOf(code)};
  for (size_t i = 1; i < places.size(); ++i) methods.push_back(Method(places[i].function));
  if (methods[0] == 0) return 0;
  const uint32_t first = next_frame_;
  for (size_t i = 0; i < places.size(); ++i) {
    const uint32_t id = next_frame_++;
    packets_.Write(wire::Packet::kFrame, kNoTime, [&](auto& entry) {
      entry.Set(entry.kId, id);
      entry.Set(entry.kMethod, methods[i]);
      entry.Set(entry.kAddress, address);
      if (native_offset != 0) entry.Set(entry.kNativeOffset, native_offset);
      entry.Set(entry.kIlOffset, static_cast<int32_t>(places[i].il_offset) + 1);
      if (i > 0) entry.Set(entry.kIsInlined, true);
    });
  }
  if (inlined_.size() >= kMaxEntries) {
    sampled_.Clear();  // its nodes refer to them
    inlining_frames_.Clear();
    inlined_.clear();
  }
  inlining_frames_.Set(key, first);
  std::vector<uint32_t>& inlined = inlined_[first];
  for (uint32_t id = first + 1; id != next_frame_; ++id) inlined.push_back(id);
  return first;
}

uint32_t DictionaryWriter::NativeFrame(uintptr_t ip, AddressKind kind,
                                       const NativeFunction& function) {
  // All instructions of a function are one place.
  const uintptr_t place = kind == AddressKind::kExact ? function.start : ip;
  const uint32_t known = native_frames_.Find(FrameKey(place, kind));
  const uint32_t id =
      known != 0 ? known : WriteNativeFrame(place, NativeMethod(function), function.start);
  Bound(native_frames_, kMaxEntries);
  native_frames_.Set(FrameKey(place, kind), id);
  native_frames_.Set(FrameKey(ip, kind), id);
  return id;
}

uint32_t DictionaryWriter::NativeMethod(const NativeFunction& function) {
  if (const uint32_t known = native_methods_.Find(function.start)) return known;
  const uint32_t name = Text(function.name);
  const uint32_t module = NativeModuleOf(function.module);
  Bound(native_methods_, kMaxEntries);
  const uint32_t id = next_method_++;
  packets_.Write(wire::Packet::kMethod, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    if (name != 0) entry.Set(entry.kName, name);
    entry.Set(entry.kModule, module);
    entry.Set(entry.kIsNative, true);
    entry.Set(entry.kNativeRva, function.rva);
  });
  native_methods_.Set(function.start, id);
  return id;
}

uint32_t DictionaryWriter::NativeModuleOf(size_t index) {
  if (const uint32_t known = native_modules_.Find(index)) return known;
  const NativeModule& module = native_names_.module(index);
  const uint32_t path = Text(module.path);
  const uint32_t id = next_module_++;
  packets_.Write(wire::Packet::kModule, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kPath, path);
    entry.Set(entry.kIsNative, true);
    if (!module.build_id.empty()) entry.Set(entry.kBuildId, module.build_id);
  });
  native_modules_.Set(index, id);
  return id;
}

// Code that is not in a library and not in a method known to the runtime.
uint32_t DictionaryWriter::StubFrame(uintptr_t ip) {
  uint32_t method = native_methods_.Find(0);
  if (method == 0) {
    const uint32_t name = Text("[stub]");
    method = next_method_++;
    packets_.Write(wire::Packet::kMethod, kNoTime, [&](auto& entry) {
      entry.Set(entry.kId, method);
      entry.Set(entry.kName, name);
      entry.Set(entry.kIsNative, true);
    });
    native_methods_.Set(0, method);
  }
  return WriteNativeFrame(ip, method, ip);
}

uint32_t DictionaryWriter::WriteNativeFrame(uintptr_t ip, uint32_t method, uintptr_t start) {
  const uint32_t id = next_frame_++;
  packets_.Write(wire::Packet::kFrame, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kMethod, method);
    entry.Set(entry.kAddress, ip);
    if (ip != start) entry.Set(entry.kNativeOffset, static_cast<uint32_t>(ip - start));
  });
  return id;
}

uint32_t DictionaryWriter::MethodFrame(clr::FunctionID function) {
  const uint32_t method = Method(function);
  if (method == 0) return 0;
  if (const uint32_t known = method_frames_.Find(method)) return known;
  Bound(method_frames_, kMaxEntries);
  const uint32_t id = next_frame_++;
  packets_.Write(wire::Packet::kFrame, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kMethod, method);
  });
  method_frames_.Set(method, id);
  return id;
}

uint32_t DictionaryWriter::Stack(uint32_t handle) {
  if (const uint32_t known = handles_.Find(handle)) return known;
  doubted_ = false;
  const uint32_t id = Stack(stack_table_.Frames(handle));
  if (doubted_ || id == 0) return id;
  Bound(handles_, kMaxEntries);
  handles_.Set(handle, id);
  return id;
}

uint32_t DictionaryWriter::StackAsOf(uint32_t handle, uint64_t time_ns) {
  if (!names_.gate().NothingUnloadedSince(time_ns)) return 0;
  const uint64_t event_ns = std::exchange(event_ns_, std::min(event_ns_, time_ns));
  const uint32_t id = Stack(handle);
  event_ns_ = event_ns;
  return id;
}

template <typename Below>
uint32_t DictionaryWriter::Descend(RecentStacks& recent, std::span<const uintptr_t> frames,
                                   size_t inner, Below below) {
  std::vector<RecentStacks::Place>& known = recent.Of(thread_);
  size_t left = frames.size();
  uint32_t node = 0;
  for (const RecentStacks::Place& place : known) {
    if (left <= inner || frames[left - 1] != place.ip) break;
    node = place.node;
    --left;
  }
  known.resize(frames.size() - left);
  bool doubted = doubted_;
  while (left-- > 0) {
    doubted_ = false;
    node = below(node, left);
    doubted = doubted || doubted_;
    // If it was cleared in the meantime, frames are missing in it from here on.
    const bool is_complete = known.size() == frames.size() - 1 - left;
    if (is_complete && left >= inner && !doubted && known.size() < RecentStacks::kMaxFrames) {
      known.push_back({frames[left], node});
    }
  }
  doubted_ = doubted;
  return node;
}

uint32_t DictionaryWriter::Stack(std::span<const uintptr_t> frames) {
  return Descend(recent_, frames, 0, [&](uint32_t node, size_t i) {
    if (!IsFrame(frames[i])) return node;
    return Node(node, Frame(WithoutMark(frames[i]), AddressKind::kReturn));
  });
}

bool DictionaryWriter::IsFrame(uintptr_t ip) {
  if (!IsGuessed(ip)) return true;
  // The runtime only knows what to do with addresses of code that runs. About others in precompiled
  // images it may search below the first method that has run, and crash (dotnet/runtime,
  // src/coreclr/vm/codeman.cpp, ReadyToRunJitManager::JitCodeToMethodInfo; seen on .NET 8 and 9).
  // Dynamic methods are never there.
  if (!generated_code_.Contains(WithoutMark(ip))) return false;
  CodeDescription code;
  if (!AskCode(WithoutMark(ip), AddressKind::kReturn, code)) {
    doubted_ = true;
    return false;
  }
  if (code.function == 0 || !code.is_dynamic) return false;
  const uint32_t method = Method(code.function);
  const auto role = method_roles_.find(method);
  return method != 0 && (role == method_roles_.end() || role->second != MethodRole::kStub);
}

uint32_t DictionaryWriter::SampledStack(std::span<const uintptr_t> frames) {
  doubted_ = false;
  return Descend(recent_sampled_, frames, 1, [&](uint32_t node, size_t i) {
    const SampledPlace place = SampledPlace::Of(frames[i], i);
    return SampledNode(node, place.ip, place.kind);
  });
}

uint32_t DictionaryWriter::SampledNode(uint32_t node, uintptr_t ip, AddressKind kind) {
  const uint32_t frame = SampledFrame(ip, kind);
  node = Node(node, frame);
  if (const auto known = inlined_.find(frame); known != inlined_.end()) {
    for (const uint32_t inlined : known->second) node = Node(node, inlined);
  }
  return node;
}

uint32_t DictionaryWriter::Node(uint32_t parent, uint32_t frame) {
  const NodeKey key{parent, frame};
  if (const uint32_t known = nodes_.Find(key)) return known;
  Bound(nodes_, kMaxEntries);
  const uint32_t id = next_node_++;
  packets_.Write(wire::Packet::kStack, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    if (parent != 0) entry.Set(entry.kParent, parent);
    entry.Set(entry.kFrame, frame);
  });
  nodes_.Set(key, id);
  return id;
}

}  // namespace hindsight::recorder
