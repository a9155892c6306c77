// The state, and what is queried from the runtime: modules, types, methods.
#include "recorder/encode/dictionary_writer.h"

#include <time.h>

#include <algorithm>

#include "recorder/names/utf8.h"

namespace hindsight::recorder {
namespace {

template <typename Map>
uint64_t MapBytes(const Map& map) {
  return map.size() * (sizeof(typename Map::value_type) + 2 * sizeof(void*)) +
         map.bucket_count() * sizeof(void*);
}

}  // namespace

void DictionaryWriter::Forget() {
  // Assigned, not cleared: clear() keeps the buckets.
  texts_ = {};
  text_bytes_ = 0;
  nodes_.Clear();
  modules_.Clear();
  types_.Clear();
  open_types_.Clear();
  methods_.Clear();
  bodies_.Clear();
  known_bodies_.Clear();
  frames_.Clear();
  sampled_.Clear();
  inlining_frames_.Clear();
  inlined_ = {};
  native_modules_.Clear();
  native_methods_.Clear();
  native_frames_.Clear();
  doubtful_.Clear();
  method_frames_.Clear();
  dynamic_ = {};
  ForgetStacks();
  handles_.Clear();
  method_roles_ = {};
  frame_roles_ = {};
}

void DictionaryWriter::StartFile() {
  Forget();
  next_text_ = next_module_ = next_type_ = next_method_ = next_frame_ = next_node_ = 1;
}

void DictionaryWriter::ForgetRuntimeIds() {
  modules_.Clear();
  types_.Clear();
  open_types_.Clear();
  methods_.Clear();
  bodies_.Clear();
  known_bodies_.Clear();
  frames_.Clear();
  sampled_.Clear();
  inlining_frames_.Clear();
  inlined_.clear();
  inline_trees_.Forget();
  inline_candidates_.clear();
  ForgetStacks();
  dynamic_.clear();
}

void DictionaryWriter::ForgetStacks() {
  handles_.Clear();
  recent_.Clear();
  recent_sampled_.Clear();
}

// Not its body: code that replaces it there has another Method.id.
bool DictionaryWriter::ForgetMethod(clr::FunctionID method) {
  const auto begin = dynamic_.lower_bound({method, 0});
  auto end = begin;
  for (; end != dynamic_.end() && end->first == method; ++end) {
    frames_.Erase(end->second);
    sampled_.Erase(end->second);
  }
  if (begin == end) return false;
  dynamic_.erase(begin, end);
  methods_.Erase(method);
  return true;
}

void DictionaryWriter::TakeUnloads() {
  if (!names_.gate().HasLog()) return;
  const auto known = static_cast<ptrdiff_t>(unloads_.size());
  names_.gate().TakeLog(unloads_);
  // Two threads may have taken their times in a different order from that of their entries.
  std::stable_sort(unloads_.begin() + std::max<ptrdiff_t>(known - 1, 0), unloads_.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
}

void DictionaryWriter::ForEventAt(uint64_t time_ns, uint32_t thread) {
  event_ns_ = time_ns;
  thread_ = thread;
  TakeUnloads();
  bool forgot = false;
  while (!unloads_.empty() && unloads_.front().time_ns < time_ns) {
    if (unloads_.front().method == 0) {
      ForgetRuntimeIds();
    } else {
      inline_candidates_.erase(unloads_.front().method);
      forgot |= ForgetMethod(unloads_.front().method);
    }
    unloads_.pop_front();
  }
  if (forgot) ForgetStacks();  // the method may be in them
}

template <typename Question>
bool DictionaryWriter::Ask(Question question) {
  constexpr int kAttempts = 20;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    {
      const auto hold = names_.gate().Enter(event_ns_);
      if (!hold) return false;
      if (question(*hold)) return true;
      if (!suspended_.load(std::memory_order_relaxed)) return attempt == 0 && question(*hold);
    }
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

// What code there was at the time of the event; none if `out.function` is 0. False: unknown,
// because something has been unloaded since.
bool DictionaryWriter::AskCode(uintptr_t ip, AddressKind kind, CodeDescription& out) {
  if (const CodeDescription* const known = known_bodies_.Find(InstructionAt(ip, kind))) {
    out = *known;
    return true;
  }
  CodeFound found = CodeFound::kUnknown;
  Ask([&](const CodeGate::Hold& hold) {
    found = names_.LookUp(hold, ip, kind, out);
    return found != CodeFound::kNone;
  });
  if (found == CodeFound::kFound && !out.is_dynamic && !out.il_map_put_off) known_bodies_.Add(out);
  return found != CodeFound::kUnknown;
}

uint64_t DictionaryWriter::memory_bytes() const {
  return text_bytes_ + MapBytes(texts_) + modules_.memory_bytes() + types_.memory_bytes() +
         open_types_.memory_bytes() + methods_.memory_bytes() + bodies_.memory_bytes() +
         frames_.memory_bytes() + sampled_.memory_bytes() + native_methods_.memory_bytes() +
         native_frames_.memory_bytes() + doubtful_.memory_bytes() + method_frames_.memory_bytes() +
         inlining_frames_.memory_bytes() + 2 * MapBytes(inlined_) + nodes_.memory_bytes() +
         handles_.memory_bytes() + native_names_.memory_bytes() + recent_.memory_bytes() +
         recent_sampled_.memory_bytes() + known_bodies_.memory_bytes() +
         2 * MapBytes(inline_candidates_) +
         dynamic_.size() * (sizeof(decltype(dynamic_)::value_type) + 4 * sizeof(void*));
}

uint32_t DictionaryWriter::Text(std::string_view text, uint32_t cut_units) {
  if (text.empty()) return 0;
  text = text.substr(0, kMaxStringBytes);
  if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
  if (text_bytes_ + text.size() > kMaxTextBytes || texts_.size() >= kMaxEntries) {
    texts_.clear();
    text_bytes_ = 0;
  }
  text_bytes_ += text.size();
  const uint32_t id = next_text_++;
  packets_.Write(wire::Packet::kString, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kValue, text);
    if (cut_units != 0) entry.Set(entry.kTruncatedChars, cut_units);
  });
  texts_.emplace(text, id);
  return id;
}

uint32_t DictionaryWriter::Message(std::span<const char16_t> message, uint32_t cut_units) {
  message_.clear();
  AppendUtf8({message.data(), message.size()}, message.size(), message_);
  return Text(message_, cut_units);
}

uint32_t DictionaryWriter::Module(clr::ModuleID module) {
  if (module == 0) return 0;
  if (const uint32_t known = modules_.Find(module)) return known;
  ModuleDescription description;
  if (!Ask([&](const CodeGate::Hold& hold) {
        return names_.DescribeModule(hold, module, description);
      }))
    return 0;
  const uint32_t path = Text(description.path);
  const uint32_t assembly = Text(description.assembly);
  const uint32_t pdb_path = Text(description.pdb_path);
  const uint32_t revision = description.revision.empty() ? 0 : Text(description.revision);
  const uint32_t id = next_module_++;
  packets_.Write(wire::Packet::kModule, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kPath, path);
    entry.Set(entry.kAssembly, assembly);
    if (description.has_mvid) entry.Set(entry.kMvid, description.mvid);
    if (description.is_dynamic) entry.Set(entry.kIsDynamic, true);
    if (description.is_in_memory) entry.Set(entry.kIsInMemory, true);
    if (description.has_pdb) {
      entry.Set(entry.kPdbId, description.pdb_id);
      if (pdb_path != 0) entry.Set(entry.kPdbPath, pdb_path);
    }
    if (revision != 0) entry.Set(entry.kRevision, revision);
  });
  modules_.Set(module, id);
  return id;
}

uint32_t DictionaryWriter::Type(clr::ClassID type) { return Type(type, 0); }

uint32_t DictionaryWriter::Type(clr::ClassID type, uint32_t depth) {
  if (type == 0 || depth > kMaxTypeDepth) return 0;
  if (const uint32_t known = types_.Find(type)) return known;
  TypeDescription description;
  if (!Ask([&](const CodeGate::Hold& hold) {
        return names_.DescribeType(hold, type, description);
      })) {
    return 0;
  }
  Bound(types_, kMaxEntries);
  const uint32_t id = next_type_++;
  types_.Set(type, id);  // first: arguments may name the type itself
  WriteType(id, description, depth);
  return id;
}

uint32_t DictionaryWriter::OpenType(clr::ModuleID module, clr::mdTypeDef token) {
  if (module == 0 || token == 0) return 0;
  const uint64_t key = module ^ uint64_t { token } << 40;
  if (const uint32_t known = open_types_.Find(key)) return known;
  TypeDescription description;
  if (!Ask([&](const CodeGate::Hold& hold) {
        return names_.DescribeTypeDef(hold, module, token, description);
      }))
    return 0;
  Bound(open_types_, kMaxEntries);
  const uint32_t id = next_type_++;
  open_types_.Set(key, id);
  WriteType(id, description, 0);
  return id;
}

void DictionaryWriter::WriteType(uint32_t id, const TypeDescription& type, uint32_t depth) {
  const uint32_t name = Text(type.name);
  const uint32_t module = Module(type.module);
  std::vector<uint32_t> arguments;
  for (const clr::ClassID argument : type.arguments) arguments.push_back(Type(argument, depth + 1));
  const uint32_t element = Type(type.element, depth + 1);
  packets_.Write(wire::Packet::kType, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kName, name);
    if (module != 0) entry.Set(entry.kModule, module);
    if (type.token != 0) entry.Set(entry.kToken, type.token);
    entry.Set(entry.kArgument, arguments);
    if (element != 0) entry.Set(entry.kElement, element);
    if (type.rank != 0) entry.Set(entry.kRank, type.rank);
  });
}

uint32_t DictionaryWriter::Method(clr::FunctionID function) {
  if (function == 0) return 0;
  if (const uint32_t known = methods_.Find(function)) return known;
  return WriteMethod(function);
}

uint32_t DictionaryWriter::WriteMethod(clr::FunctionID function) {
  MethodDescription description;
  if (!Ask([&](const CodeGate::Hold& hold) {
        return names_.DescribeMethod(hold, function, description);
      }))
    return 0;
  const uint32_t name = Text(description.name);
  const uint32_t type = description.type != 0
                            ? Type(description.type)
                            : OpenType(description.module, description.type_token);
  const uint32_t module = Module(description.module);
  std::vector<uint32_t> arguments;
  for (const clr::ClassID argument : description.arguments) arguments.push_back(Type(argument));
  std::vector<uint32_t> candidates;
  if (description.is_dynamic) {
    NoteDynamic(function, 0);
    candidates = InlineCandidates(function);
  }
  Bound(methods_, kMaxEntries);
  const uint32_t id = next_method_++;
  packets_.Write(wire::Packet::kMethod, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kName, name);
    if (type != 0) entry.Set(entry.kType, type);
    if (module != 0) entry.Set(entry.kModule, module);
    if (description.token != 0) entry.Set(entry.kToken, description.token);
    entry.Set(entry.kArgument, arguments);
    if (description.is_dynamic) entry.Set(entry.kIsDynamic, true);
    for (const std::string& parameter : description.parameters) {
      entry.Add(entry.kParameter, parameter);
    }
    entry.Set(entry.kInlineCandidate, candidates);
  });
  methods_.Set(function, id);
  if (const MethodRole role = RoleOf(description); role != MethodRole::kNone) {
    method_roles_.emplace(id, role);
  }
  return id;
}

void DictionaryWriter::NoteInlineCandidate(clr::FunctionID dynamic_method, clr::FunctionID callee) {
  if (inline_candidates_.size() >= kMaxEntries) inline_candidates_.clear();
  std::vector<InlineCandidate>& candidates = inline_candidates_[dynamic_method];
  if (candidates.size() < kMaxCandidates) candidates.push_back({callee, event_ns_});
}

std::vector<uint32_t> DictionaryWriter::InlineCandidates(clr::FunctionID dynamic_method) {
  std::vector<uint32_t> candidates;
  const auto known = inline_candidates_.find(dynamic_method);
  if (known == inline_candidates_.end()) return candidates;
  const uint64_t event_ns = event_ns_;
  // A copy: the queries may forget all runtime ids.
  for (const auto& [callee, as_of_ns] : std::vector(known->second)) {
    // A dynamic callee could lead back here.
    if (inline_candidates_.contains(callee)) continue;
    if (!names_.gate().NothingUnloadedSince(as_of_ns)) continue;
    event_ns_ = std::min(event_ns, as_of_ns);
    if (const uint32_t method = Method(callee)) candidates.push_back(method);
  }
  event_ns_ = event_ns;
  return candidates;
}

DictionaryWriter::MethodRole DictionaryWriter::RoleOf(const MethodDescription& method) {
  if (method.is_dynamic) {
    return method.name.starts_with("IL_STUB") ? MethodRole::kStub : MethodRole::kNone;
  }
  const bool may_restore = method.name == "Throw";
  const bool may_report_waits = method.name.ends_with("ContentionStart");
  TypeDescription type;
  if ((!may_restore && !may_report_waits) || !Ask([&](const CodeGate::Hold& hold) {
        return names_.DescribeTypeDef(hold, method.module, method.type_token, type);
      })) {
    return MethodRole::kNone;
  }
  if (may_restore && type.name == "System.Runtime.ExceptionServices.ExceptionDispatchInfo") {
    return MethodRole::kRestoresException;
  }
  if (may_report_waits && (type.name == "System.Diagnostics.Tracing.NativeRuntimeEventSource" ||
                           type.name == "System.Threading.Lock")) {
    return MethodRole::kReportsWaits;
  }
  return MethodRole::kNone;
}

bool DictionaryWriter::Does(uintptr_t ip, MethodRole role) {
  const auto known = frame_roles_.find(Frame(ip, AddressKind::kReturn));
  return known != frame_roles_.end() && known->second == role;
}

uint32_t DictionaryWriter::MethodOf(const CodeDescription& code) {
  const uint32_t method = Method(code.function);
  if (method == 0 || code.start() == 0) return method;
  if (bodies_.Find(code.start()) == method || code.il_map_put_off) return method;
  Bound(bodies_, kMaxEntries);
  bodies_.Set(code.start(), method);
  WriteCode(method, code);
  return method;
}

// A further entry of the method that adds this body.
void DictionaryWriter::WriteCode(uint32_t method, const CodeDescription& code) {
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
  packets_.Write(wire::Packet::kMethod, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, method);
    ProtoWriter body(entry, entry.kCode);
    body.Set(body.kStart, code.start());
    body.Set(body.kRegionSize, sizes);
    body.Set(body.kRegionDelta, starts);
    body.Set(body.kIlOffsetDelta, il);
    body.Set(body.kNativeOffsetDelta, native);
  });
}

}  // namespace hindsight::recorder
