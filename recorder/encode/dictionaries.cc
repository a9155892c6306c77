#include "recorder/encode/dictionaries.h"

#include <time.h>

#include "recorder/names/utf8.h"

namespace hindsight::recorder {
namespace {

// Field numbers below are those of proto/recording.proto.
template <typename Map>
void Bound(Map& map, size_t limit) {
  if (map.size() >= limit) map.clear();
}

template <typename Map>
uint64_t MapBytes(const Map& map) {
  return map.size() * (sizeof(typename Map::value_type) + 2 * sizeof(void*)) +
         map.bucket_count() * sizeof(void*);
}

std::string_view AsChars(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uintptr_t FrameKey(uintptr_t ip, AddressKind kind) {
  return ip << 1 | (kind == AddressKind::kExact ? 1 : 0);
}

}  // namespace

void Dictionaries::Forget() {
  // Assigned, not cleared: clear() keeps the buckets.
  texts_ = {};
  text_bytes_ = 0;
  nodes_ = {};
  modules_ = {};
  types_ = {};
  open_types_ = {};
  methods_ = {};
  bodies_ = {};
  frames_ = {};
  sampled_ = {};
  native_modules_ = {};
  native_methods_ = {};
  native_frames_ = {};
  handles_ = {};
  method_roles_ = {};
  frame_roles_ = {};
}

void Dictionaries::StartFile() {
  Forget();
  next_text_ = next_module_ = next_type_ = next_method_ = next_frame_ = next_node_ = 1;
}

void Dictionaries::ForgetRuntimeIds() {
  modules_.clear();
  types_.clear();
  open_types_.clear();
  methods_.clear();
  bodies_.clear();
  frames_.clear();
  sampled_.clear();
  handles_.clear();
}

void Dictionaries::CodeUnloaded(clr::ModuleID module, uint64_t time_ns) {
  if (module != 0) names_.ModuleUnloaded(module);
  unloaded_ns_ = time_ns;
  unload_pending_ = true;
}

void Dictionaries::ForEventAt(uint64_t time_ns) {
  may_ask_ = time_ns > unloaded_ns_;
  if (may_ask_ && unload_pending_) {
    ForgetRuntimeIds();
    unload_pending_ = false;
  }
}

template <typename Question>
bool Dictionaries::Ask(Question question) {
  constexpr int kAttempts = 20;
  if (!may_ask_) return false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (question()) return true;
    if (!suspended_.load(std::memory_order_relaxed)) return attempt == 0 && question();
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

uint64_t Dictionaries::memory_bytes() const {
  return text_bytes_ + MapBytes(texts_) + MapBytes(modules_) + MapBytes(types_) +
         MapBytes(open_types_) + MapBytes(methods_) + MapBytes(bodies_) + MapBytes(frames_) +
         MapBytes(sampled_) + MapBytes(native_methods_) + MapBytes(native_frames_) +
         MapBytes(nodes_) + MapBytes(handles_);
}

uint32_t Dictionaries::Text(std::string_view text, uint32_t cut_units) {
  if (text.empty()) return 0;
  text = text.substr(0, kMaxStringBytes);
  std::string key(text);
  if (const auto known = texts_.find(key); known != texts_.end()) return known->second;
  if (text_bytes_ + text.size() > kMaxTextBytes || texts_.size() >= kMaxEntries) {
    texts_.clear();
    text_bytes_ = 0;
  }
  text_bytes_ += text.size();
  const uint32_t id = next_text_++;
  packets_.Write(PacketField::kString, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    entry.Bytes(2, text);
    if (cut_units != 0) entry.Uint(3, cut_units);
  });
  texts_.emplace(std::move(key), id);
  return id;
}

uint32_t Dictionaries::Message(std::span<const char16_t> message, uint32_t cut_units) {
  message_.clear();
  AppendUtf8({message.data(), message.size()}, message.size(), message_);
  return Text(message_, cut_units);
}

uint32_t Dictionaries::Module(clr::ModuleID module) {
  if (module == 0) return 0;
  if (const auto known = modules_.find(module); known != modules_.end()) return known->second;
  ModuleDescription description;
  if (!Ask([&] { return names_.DescribeModule(module, description); })) return 0;
  const uint32_t path = Text(description.path);
  const uint32_t assembly = Text(description.assembly);
  const uint32_t pdb_path = Text(description.pdb_path);
  const uint32_t id = next_module_++;
  packets_.Write(PacketField::kModule, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    entry.Uint(2, path);
    entry.Uint(3, assembly);
    if (description.has_mvid) entry.Bytes(4, AsChars(description.mvid));
    if (description.is_dynamic) entry.Bool(5, true);
    if (description.is_in_memory) entry.Bool(6, true);
    if (description.has_pdb) {
      entry.Bytes(9, AsChars(description.pdb_id));
      if (pdb_path != 0) entry.Uint(10, pdb_path);
    }
  });
  modules_.emplace(module, id);
  return id;
}

uint32_t Dictionaries::Type(clr::ClassID type) { return Type(type, 0); }

uint32_t Dictionaries::Type(clr::ClassID type, uint32_t depth) {
  if (type == 0 || depth > kMaxTypeDepth) return 0;
  if (const auto known = types_.find(type); known != types_.end()) return known->second;
  TypeDescription description;
  if (!Ask([&] { return names_.DescribeType(type, description); })) return 0;
  Bound(types_, kMaxEntries);
  const uint32_t id = next_type_++;
  types_.emplace(type, id);  // first: arguments may name the type itself
  WriteType(id, description, depth);
  return id;
}

uint32_t Dictionaries::OpenType(clr::ModuleID module, clr::mdTypeDef token) {
  if (module == 0 || token == 0) return 0;
  const uint64_t key = module ^ uint64_t { token } << 40;
  if (const auto known = open_types_.find(key); known != open_types_.end()) return known->second;
  TypeDescription description;
  if (!Ask([&] { return names_.DescribeTypeDef(module, token, description); })) return 0;
  Bound(open_types_, kMaxEntries);
  const uint32_t id = next_type_++;
  open_types_.emplace(key, id);
  WriteType(id, description, 0);
  return id;
}

void Dictionaries::WriteType(uint32_t id, const TypeDescription& type, uint32_t depth) {
  const uint32_t name = Text(type.name);
  const uint32_t module = Module(type.module);
  std::vector<uint32_t> arguments;
  for (const clr::ClassID argument : type.arguments) arguments.push_back(Type(argument, depth + 1));
  const uint32_t element = Type(type.element, depth + 1);
  packets_.Write(PacketField::kType, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    entry.Uint(2, name);
    if (module != 0) entry.Uint(3, module);
    if (type.token != 0) entry.Fixed32(4, type.token);
    entry.PackedUint(5, arguments);
    if (element != 0) entry.Uint(6, element);
    if (type.rank != 0) entry.Uint(7, type.rank);
  });
}

uint32_t Dictionaries::Method(clr::FunctionID function) {
  if (function == 0) return 0;
  if (const auto known = methods_.find(function); known != methods_.end()) return known->second;
  MethodDescription description;
  if (!Ask([&] { return names_.DescribeMethod(function, description); })) return 0;
  const uint32_t name = Text(description.name);
  const uint32_t type = description.type != 0
                            ? Type(description.type)
                            : OpenType(description.module, description.type_token);
  const uint32_t module = Module(description.module);
  std::vector<uint32_t> arguments;
  for (const clr::ClassID argument : description.arguments) arguments.push_back(Type(argument));
  Bound(methods_, kMaxEntries);
  const uint32_t id = next_method_++;
  packets_.Write(PacketField::kMethod, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    entry.Uint(2, name);
    if (type != 0) entry.Uint(3, type);
    if (module != 0) entry.Uint(4, module);
    if (description.token != 0) entry.Fixed32(5, description.token);
    entry.PackedUint(6, arguments);
    if (description.is_dynamic) entry.Bool(7, true);
    for (const std::string& parameter : description.parameters) entry.Bytes(8, parameter);
  });
  methods_.emplace(function, id);
  if (const MethodRole role = RoleOf(description); role != MethodRole::kNone) {
    method_roles_.emplace(id, role);
  }
  return id;
}

Dictionaries::MethodRole Dictionaries::RoleOf(const MethodDescription& method) {
  const bool may_restore = method.name == "Throw";
  const bool may_tell = method.name.ends_with("ContentionStart");
  TypeDescription type;
  if ((!may_restore && !may_tell) ||
      !Ask([&] { return names_.DescribeTypeDef(method.module, method.type_token, type); })) {
    return MethodRole::kNone;
  }
  if (may_restore && type.name == "System.Runtime.ExceptionServices.ExceptionDispatchInfo") {
    return MethodRole::kRestoresException;
  }
  if (may_tell && (type.name == "System.Diagnostics.Tracing.NativeRuntimeEventSource" ||
                   type.name == "System.Threading.Lock")) {
    return MethodRole::kTellsOfWaits;
  }
  return MethodRole::kNone;
}

bool Dictionaries::Does(uintptr_t ip, MethodRole role) {
  const auto known = frame_roles_.find(Frame(ip, AddressKind::kReturn));
  return known != frame_roles_.end() && known->second == role;
}

uint32_t Dictionaries::MethodOf(const CodeDescription& code) {
  const uint32_t method = Method(code.function);
  if (method == 0 || code.start() == 0) return method;
  const auto known = bodies_.find(code.start());
  if (known != bodies_.end() && known->second == method) return method;
  Bound(bodies_, kMaxEntries);
  bodies_[code.start()] = method;
  WriteCode(method, code);
  return method;
}

// A further entry of the method that adds this body.
void Dictionaries::WriteCode(uint32_t method, const CodeDescription& code) {
  std::vector<uint32_t> sizes;
  std::vector<int64_t> starts;
  for (const CodeRegion& region : code.regions) {
    sizes.push_back(region.size);
    if (sizes.size() > 1) starts.push_back(static_cast<int64_t>(region.start - code.start()));
  }
  std::vector<int32_t> il;
  std::vector<uint32_t> native;
  int32_t last_il = 0;
  uint32_t last_native = 0;
  for (const IlMapEntry& entry : code.il_map) {
    il.push_back(entry.il_offset - last_il);
    native.push_back(entry.native_offset - last_native);
    last_il = entry.il_offset;
    last_native = entry.native_offset;
  }
  packets_.Write(PacketField::kMethod, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, method);
    ProtoWriter body(entry, 9);
    body.Fixed64(1, code.start());
    body.PackedUint(2, sizes);
    body.PackedSint(3, starts);
    body.PackedSint(4, il);
    body.PackedUint(5, native);
  });
}

uint32_t Dictionaries::Frame(uintptr_t ip, AddressKind kind) {
  if (ip == 0) return 0;
  if (const auto known = frames_.find(FrameKey(ip, kind)); known != frames_.end()) {
    return known->second;
  }
  CodeDescription code;
  Ask([&] { return names_.LookUp(ip, kind, code); });
  return WriteFrame(ip, kind, code);
}

// A frame that is not in the file yet. `code` is empty if nothing is known of it.
uint32_t Dictionaries::WriteFrame(uintptr_t ip, AddressKind kind, const CodeDescription& code) {
  uint32_t method = 0;
  uint32_t native_offset = 0;
  int32_t il_offset = 0;  // + 1, as the schema wants it
  if (code.function != 0) {
    method = MethodOf(code);
    native_offset = code.NativeOffset(ip, kind).value_or(0);
    if (const auto il = code.IlOffset(ip, kind)) il_offset = static_cast<int32_t>(*il) + 1;
  }
  Bound(frames_, kMaxEntries);
  const uint32_t id = next_frame_++;
  packets_.Write(PacketField::kFrame, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    if (method != 0) entry.Uint(2, method);
    entry.Fixed64(3, ip);
    if (native_offset != 0) entry.Uint(4, native_offset);
    if (il_offset != 0) entry.Sint(5, il_offset);
  });
  frames_.emplace(FrameKey(ip, kind), id);
  if (const auto role = method_roles_.find(method); role != method_roles_.end()) {
    frame_roles_.emplace(id, role->second);
  }
  return id;
}

uint32_t Dictionaries::SampledFrame(uintptr_t ip, AddressKind kind) {
  if (ip == 0) return 0;
  const uintptr_t key = FrameKey(ip, kind);
  if (const auto known = sampled_.find(key); known != sampled_.end()) return known->second;
  if (const auto known = native_frames_.find(key); known != native_frames_.end()) {
    return known->second;
  }
  NativeFunction function;
  const bool is_native =
      native_names_.Describe(kind == AddressKind::kReturn ? ip - 1 : ip, function);
  if (native_changes_ != native_names_.changes()) {
    native_changes_ = native_names_.changes();
    native_modules_.clear();
    native_methods_.clear();
    native_frames_.clear();
  }
  if (is_native) return NativeFrame(ip, kind, function);
  const uint32_t id = ManagedFrame(ip, kind);
  Bound(sampled_, kMaxEntries);
  sampled_.emplace(key, id);
  return id;
}

uint32_t Dictionaries::ManagedFrame(uintptr_t ip, AddressKind kind) {
  CodeDescription code;
  if (!Ask([&] { return names_.LookUp(ip, kind, code); })) {
    return may_ask_ ? StubFrame(ip) : Frame(ip, kind);
  }
  const uintptr_t place = kind == AddressKind::kExact ? code.PlaceOf(ip).value_or(ip) : ip;
  const auto known = frames_.find(FrameKey(place, kind));
  return known != frames_.end() ? known->second : WriteFrame(place, kind, code);
}

uint32_t Dictionaries::NativeFrame(uintptr_t ip, AddressKind kind, const NativeFunction& function) {
  // All instructions of a function are one place.
  const uintptr_t place = kind == AddressKind::kExact ? function.start : ip;
  const auto known = native_frames_.find(FrameKey(place, kind));
  const uint32_t id = known != native_frames_.end()
                          ? known->second
                          : WriteNativeFrame(place, NativeMethod(function), function.start);
  Bound(native_frames_, kMaxEntries);
  native_frames_.emplace(FrameKey(place, kind), id);
  native_frames_.emplace(FrameKey(ip, kind), id);
  return id;
}

uint32_t Dictionaries::NativeMethod(const NativeFunction& function) {
  const auto known = native_methods_.find(function.start);
  if (known != native_methods_.end()) return known->second;
  const uint32_t name = Text(function.name);
  const uint32_t module = NativeModuleOf(function.module);
  Bound(native_methods_, kMaxEntries);
  const uint32_t id = next_method_++;
  packets_.Write(PacketField::kMethod, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    if (name != 0) entry.Uint(2, name);
    entry.Uint(4, module);
    entry.Bool(10, true);
    entry.Uint(11, function.rva);
  });
  native_methods_.emplace(function.start, id);
  return id;
}

uint32_t Dictionaries::NativeModuleOf(size_t index) {
  if (const auto known = native_modules_.find(index); known != native_modules_.end()) {
    return known->second;
  }
  const NativeModule& module = native_names_.module(index);
  const uint32_t path = Text(module.path);
  const uint32_t id = next_module_++;
  packets_.Write(PacketField::kModule, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    entry.Uint(2, path);
    entry.Bool(7, true);
    if (!module.build_id.empty()) entry.Bytes(8, AsChars(module.build_id));
  });
  native_modules_.emplace(index, id);
  return id;
}

// Code that is in no library and that the runtime does not know as a method's.
uint32_t Dictionaries::StubFrame(uintptr_t ip) {
  uint32_t& method = native_methods_[0];
  if (method == 0) {
    const uint32_t name = Text("[stub]");
    method = next_method_++;
    packets_.Write(PacketField::kMethod, kNoTime, [&](ProtoWriter& entry) {
      entry.Uint(1, method);
      entry.Uint(2, name);
      entry.Bool(10, true);
    });
  }
  return WriteNativeFrame(ip, method, ip);
}

uint32_t Dictionaries::WriteNativeFrame(uintptr_t ip, uint32_t method, uintptr_t start) {
  const uint32_t id = next_frame_++;
  packets_.Write(PacketField::kFrame, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    entry.Uint(2, method);
    entry.Fixed64(3, ip);
    if (ip != start) entry.Uint(4, ip - start);
  });
  return id;
}

uint32_t Dictionaries::MethodFrame(clr::FunctionID function) {
  const uint32_t method = Method(function);
  if (method == 0) return 0;
  const uint32_t id = next_frame_++;
  packets_.Write(PacketField::kFrame, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    entry.Uint(2, method);
  });
  return id;
}

uint32_t Dictionaries::Stack(uint32_t handle) {
  if (const auto known = handles_.find(handle); known != handles_.end()) return known->second;
  const uint32_t id = Stack(stack_table_.Frames(handle));
  Bound(handles_, kMaxEntries);
  handles_.emplace(handle, id);
  return id;
}

uint32_t Dictionaries::Stack(std::span<const uintptr_t> frames) {
  uint32_t node = 0;
  for (size_t i = frames.size(); i-- > 0;)
    node = Node(node, Frame(frames[i], AddressKind::kReturn));
  return node;
}

uint32_t Dictionaries::SampledStack(std::span<const uintptr_t> frames) {
  uint32_t node = 0;
  for (size_t i = frames.size(); i-- > 0;) {
    node = Node(node, SampledFrame(frames[i], i == 0 ? AddressKind::kExact : AddressKind::kReturn));
  }
  return node;
}

uint32_t Dictionaries::Node(uint32_t parent, uint32_t frame) {
  const NodeKey key{parent, frame};
  if (const auto known = nodes_.find(key); known != nodes_.end()) return known->second;
  Bound(nodes_, kMaxEntries);
  const uint32_t id = next_node_++;
  packets_.Write(PacketField::kStack, kNoTime, [&](ProtoWriter& entry) {
    entry.Uint(1, id);
    if (parent != 0) entry.Uint(2, parent);
    entry.Uint(3, frame);
  });
  nodes_.emplace(key, id);
  return id;
}

}  // namespace hindsight::recorder
