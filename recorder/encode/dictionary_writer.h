// The dictionaries of a file: an entry is written once, and from then on referred to by its id.
//
// The first query about something assigns its id and writes its entry; StartFile forgets all ids.
// Tables are bounded: a full one is emptied, and its entries are written again under new ids when
// they recur.
//
// The runtime's ids are queried as names/code_gate.h requires: each query takes one Hold, for the
// time of the event that the id came with. One thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recorder/base/generated_code.h"
#include "recorder/encode/id_table.h"
#include "recorder/encode/inline_trees.h"
#include "recorder/encode/known_bodies.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/encode/recent_stacks.h"
#include "recorder/names/native_names.h"
#include "recorder/names/runtime_metadata.h"
#include "recorder/stack/stack_table.h"

namespace hindsight::recorder {

class DictionaryWriter {
 public:
  // While `suspended`, the runtime does not answer queries about metadata, so they are repeated.
  // `inlining_bytes`: limit for what is known about inlined methods; 0 if the JIT does not report
  // them.
  DictionaryWriter(RuntimeMetadata& names, const StackTable& stacks,
                   const std::atomic<bool>& suspended, PacketWriter& packets,
                   size_t inlining_bytes = 0)
      : names_(names),
        stack_table_(stacks),
        suspended_(suspended),
        packets_(packets),
        inlining_known_(inlining_bytes != 0),
        inline_trees_(inlining_bytes) {}

  void StartFile();
  // Frees the memory in the middle of a file: entries are written again, under new ids.
  void Forget();

  uint32_t Text(std::string_view text) { return Text(text, 0); }
  uint32_t Message(std::span<const char16_t> message, uint32_t cut_units);
  uint32_t Module(clr::ModuleID module);
  uint32_t Type(clr::ClassID type);
  uint32_t Frame(uintptr_t ip, AddressKind kind);
  uint32_t Method(clr::FunctionID function);
  // A frame for a whole method: for a handler whose address is unknown.
  uint32_t MethodFrame(clr::FunctionID function);
  // The stack of these return addresses, innermost first; by handle of the stack table, or by
  // value. Guessed ones (stack/guessed_frame.h) are left out unless IsFrame.
  uint32_t Stack(uint32_t handle);
  uint32_t Stack(std::span<const uintptr_t> frames);
  // Whether this address is in a stack: a guessed one is if it is in a dynamic method, other than
  // the runtime's own stubs.
  bool IsFrame(uintptr_t ip);
  // The same for a stack that was taken at `time_ns`, before the event; 0 if something has been
  // unloaded since.
  uint32_t StackAsOf(uint32_t handle, uint64_t time_ns);
  // The stack of an interrupted thread: the first frame is the instruction itself, represented by
  // the place that contains it, so that a hot loop is one frame and not many. Native frames are
  // named too, and methods that the JIT has inlined have frames of their own.
  uint32_t SampledStack(std::span<const uintptr_t> frames);
  std::span<const uintptr_t> Frames(uint32_t handle) const { return stack_table_.Frames(handle); }
  // Whether this return address is in ExceptionDispatchInfo.Throw, through which awaits and waits
  // rethrow a task's exception.
  bool RestoresExceptions(uintptr_t ip) { return Does(ip, MethodRole::kRestoresException); }
  // Whether it is in managed code of the runtime that reports a wait. (Monitor, which is native,
  // reports its own waits.)
  bool ReportsWaits(uintptr_t ip) { return Does(ip, MethodRole::kReportsWaits); }

  // Sets the event that the next queries are for: their ids were alive at `time_ns`.
  //
  // Once a module has been unloaded, queries for older events find only what the dictionaries
  // already contain; for newer events they start empty, because ids may have been reused. Some
  // programs create and drop many dynamic methods, so when one is unloaded, only that one is
  // forgotten. Its id and the memory of its code are reused only for other dynamic methods
  // (DynamicMethodTable and HostCodeHeap of dotnet/runtime, src/coreclr/vm/dynamicmethod.cpp; a
  // heap of such code is only freed as a whole, when it is empty): so for older events, too,
  // everything that is not dynamic can be queried.
  //
  // `thread`: any number that is the same for all events of a thread.
  void ForEventAt(uint64_t time_ns, uint32_t thread = 0);
  // The same if no table entries have to be forgotten, because the tables start over before an id
  // can be reused.
  void AsOf(uint64_t time_ns) { event_ns_ = time_ns; }

  // What the JIT has inlined, as far as known. Cleared at each unload of a module.
  InlineTrees& inline_trees() { return inline_trees_; }

  // The JIT was about to inline `callee` into this dynamic method.
  void NoteInlineCandidate(clr::FunctionID dynamic_method, clr::FunctionID callee);

  uint64_t memory_bytes() const;

 private:
  static constexpr size_t kMaxTextBytes = 4u << 20;
  static constexpr size_t kMaxEntries = 64u << 10;  // of each table
  static constexpr uint32_t kMaxTypeDepth = 16;     // of nested generic arguments
  static constexpr size_t kMaxCandidates = 16;      // of a dynamic method

  template <typename Key>
  static void Bound(IdTable<Key>& table, size_t limit) {
    if (table.size() >= limit) table.Clear();
  }
  static uintptr_t FrameKey(uintptr_t ip, AddressKind kind) {
    return ip << 1 | (kind == AddressKind::kExact ? 1 : 0);
  }

  // Calls `question(Hold)` until it returns true, for a bounded time. While the runtime is
  // suspended, it is repeated, each time in a new Hold; the thread may sleep for up to 20 ms in
  // total.
  template <typename Question>
  bool Ask(Question question);
  void TakeUnloads();
  bool AskCode(uintptr_t ip, AddressKind kind, CodeDescription& out);
  void ForgetRuntimeIds();
  void ForgetStacks();
  bool ForgetMethod(clr::FunctionID method);  // false: it was unknown
  uint32_t Text(std::string_view text, uint32_t cut_units);
  uint32_t Type(clr::ClassID type, uint32_t depth);
  uint32_t OpenType(clr::ModuleID module, clr::mdTypeDef token);

  uint32_t WriteMethod(clr::FunctionID function);
  std::vector<uint32_t> InlineCandidates(clr::FunctionID dynamic_method);
  uint32_t MethodOf(const CodeDescription& code);
  uint32_t WriteFrame(uintptr_t ip, AddressKind kind, const CodeDescription& code);
  uint32_t DoubtfulFrame(uintptr_t ip, AddressKind kind);
  void NoteDynamic(clr::FunctionID function, uintptr_t frame_key);
  void NoteIfDynamic(clr::FunctionID function, uintptr_t frame_key);
  uint32_t SampledFrame(uintptr_t ip, AddressKind kind);
  // Adds the frames of an address below `node`: several, if methods were inlined there.
  uint32_t SampledNode(uint32_t node, uintptr_t ip, AddressKind kind);
  uint32_t InlinedFrames(uintptr_t ip, AddressKind kind, const CodeDescription& code);
  uint32_t ManagedFrame(uintptr_t ip, AddressKind kind);
  uint32_t NativeFrame(uintptr_t ip, AddressKind kind, const NativeFunction& function);
  uint32_t NativeMethod(const NativeFunction& function);
  uint32_t NativeModuleOf(size_t index);
  uint32_t StubFrame(uintptr_t ip);
  uint32_t WriteNativeFrame(uintptr_t ip, uint32_t method, uintptr_t start);
  uint32_t Node(uint32_t parent, uint32_t frame);
  // From the outermost frame to the innermost: `below(node, i)` adds frame i below `node`, the
  // stack of its callers. Nodes of the thread's last stack are taken from `recent`, except for the
  // `inner` innermost frames.
  template <typename Below>
  uint32_t Descend(RecentStacks& recent, std::span<const uintptr_t> frames, size_t inner,
                   Below below);
  // What is queried about a method other than its name.
  enum class MethodRole : uint8_t { kNone, kRestoresException, kReportsWaits, kStub };
  MethodRole RoleOf(const MethodDescription& method);
  bool Does(uintptr_t ip, MethodRole role);
  void WriteType(uint32_t id, const TypeDescription& type, uint32_t depth);
  void WriteCode(uint32_t method, const CodeDescription& code);

  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct NodeKey {
    uint32_t parent, frame;
    uint64_t bits() const { return uint64_t{parent} << 32 | frame; }
    bool operator==(const NodeKey&) const = default;
  };

  RuntimeMetadata& names_;
  NativeNames native_names_;
  uint64_t native_changes_ = 0;  // native_names_.changes() that the tables reflect
  const StackTable& stack_table_;
  const std::atomic<bool>& suspended_;
  PacketWriter& packets_;
  const bool inlining_known_;
  InlineTrees inline_trees_;

  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> texts_;
  IdTable<clr::ModuleID> modules_;
  IdTable<clr::ClassID> types_;
  IdTable<uint64_t> open_types_;
  IdTable<clr::FunctionID> methods_;
  IdTable<uintptr_t> bodies_;   // start of a native body -> its method
  IdTable<uintptr_t> frames_;   // ip << 1 | exact
  IdTable<uintptr_t> sampled_;  // ip << 1 | exact, as it was sampled
  // Where methods were inlined: ip << 1 | exact of the place -> frame of the body's own method, and
  // from that to the frames of the inlined ones, from the outermost.
  IdTable<uintptr_t> inlining_frames_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> inlined_;
  IdTable<size_t> native_modules_;     // by index of native_names_
  IdTable<uintptr_t> native_methods_;  // by start; 0: the runtime's stubs
  IdTable<uintptr_t> native_frames_;   // ip << 1 | exact, in libraries
  IdTable<uintptr_t> doubtful_;        // ip << 1 | exact, without a name
  IdTable<uint32_t> method_frames_;    // by Method.id; see MethodFrame
  // Dynamic methods that were named and are not unloaded (with 0), and their keys in frames_ and
  // sampled_.
  std::set<std::pair<clr::FunctionID, uintptr_t>> dynamic_;
  // By dynamic method, of those that are not unloaded. A candidate is known to have been alive when
  // the JIT reported it, not when the dynamic method runs.
  struct InlineCandidate {
    clr::FunctionID callee;
    uint64_t as_of_ns;
  };
  std::unordered_map<clr::FunctionID, std::vector<InlineCandidate>> inline_candidates_;
  IdTable<NodeKey> nodes_;
  IdTable<uint32_t> handles_;  // of the stack table -> Stack.id
  // Stacks of return addresses, and sampled ones. They contain no doubtful frames, and are cleared
  // whenever an address may be reused.
  RecentStacks recent_, recent_sampled_;
  KnownBodies known_bodies_;                                             // no dynamic methods
  std::unordered_map<uint32_t, MethodRole> method_roles_, frame_roles_;  // by id, those with one
  size_t text_bytes_ = 0;
  uint32_t next_text_ = 1, next_module_ = 1, next_type_ = 1, next_method_ = 1, next_frame_ = 1,
           next_node_ = 1;
  std::deque<CodeGate::Unload> unloads_;  // to be forgotten, by time
  GeneratedCode generated_code_;
  uint64_t event_ns_ = 0;
  uint32_t thread_ = 0;
  bool doubted_ = false;  // a frame was doubtful since this was last cleared
  std::string message_;   // reused
};

}  // namespace hindsight::recorder
