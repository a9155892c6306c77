#include "analyzer/reader/file_dictionary.h"

#include <algorithm>
#include <cstring>

#include "analyzer/naming/assembly_names.h"
#include "analyzer/naming/method_names.h"
#include "analyzer/reader/model_builder.h"
#include "proto/limits.h"

namespace hindsight::analyzer {

std::string_view TextArena::Add(std::string_view text, uint64_t limit) {
  if (text.empty() || total_ + text.size() > limit) return {};
  total_ += text.size();
  if (used_ + text.size() > kBlockBytes) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(std::max(kBlockBytes, text.size())));
    used_ = 0;
  }
  char* place = blocks_.back().get() + used_;
  std::memcpy(place, text.data(), text.size());
  used_ += text.size();
  return {place, text.size()};
}

void TextArena::Clear() {
  blocks_.clear();
  used_ = kBlockBytes;
  total_ = 0;
}

void FileDictionary::StartFile() {
  texts_.Clear();
  modules_.Clear();
  generated_modules_.Clear();
  types_.Clear();
  methods_.Clear();
  frames_.Clear();
  stacks_.Clear();
  arena_.Clear();
}

void FileDictionary::Add(const hindsight::String& string) {
  // An empty text that is known differs from an unknown one by its pointer.
  static constexpr char kEmpty[] = "";
  std::string_view text = arena_.Add(string.value(), kMaxFileTextBytes);
  if (string.value().empty()) text = std::string_view(kEmpty, 0);
  texts_.Put(string.id(), text);
}

void FileDictionary::Add(const hindsight::Module& module) {
  modules_.Put(module.id(), model_.AddModule({.path = Name(module.path()),
                                              .assembly = Name(module.assembly()),
                                              .mvid = module.mvid(),
                                              .is_native = module.is_native(),
                                              .build_id = module.build_id(),
                                              .pdb_id = module.pdb_id(),
                                              .pdb_path = Name(module.pdb_path()),
                                              .revision = Name(module.revision())}));
  generated_modules_.Put(module.id(), module.is_dynamic() || module.is_in_memory() ? 1 : 0);
}

void FileDictionary::Add(const hindsight::Type& type) {
  analyzer::Type entry;
  entry.name = Name(type.name());
  entry.module = Look(modules_, type.module());
  entry.token = type.token();
  for (const uint32_t argument : type.argument()) entry.arguments.push_back(TypeOf(argument));
  entry.element = TypeOf(type.element());
  entry.rank = type.rank();
  types_.Put(type.id(), model_.AddType(entry));
}

void FileDictionary::Add(const hindsight::Method& method) {
  // A later entry only adds native code, which the model does not store.
  if (methods_.Get(method.id()) != 0) return;
  analyzer::Method entry;
  entry.name = Name(method.name());
  entry.type = TypeOf(method.type());
  entry.module = Look(modules_, method.module());
  entry.token = method.token();
  for (const uint32_t argument : method.argument()) entry.arguments.push_back(TypeOf(argument));
  entry.is_dynamic = method.is_dynamic();
  entry.is_native = method.is_native();
  entry.native_rva = method.native_rva();
  if (entry.is_native && entry.name == 0 && native_names_ != nullptr && *native_names_) {
    const analyzer::Module& library = model_.module(entry.module);
    entry.name = model_.AddString(
        (*native_names_)(model_.String(library.path), library.build_id, entry.native_rva));
  }
  entry.is_plumbing =
      naming::IsPlumbing(model_.String(model_.type(entry.type).name), model_.String(entry.name));
  entry.parameters.assign(method.parameter().begin(), method.parameter().end());
  methods_.Put(method.id(), model_.AddMethod(entry));
  if (const MethodId inlined = InlinedInto(method)) inlined_.Put(method.id(), inlined);
}

// The one method of the application that a dynamic method calls, and that the JIT wanted to put
// into it: its time is that method's. With several, it is unknown whose. Accessors and constructors
// do not count: code that copies or creates objects calls nothing else, and does more than that.
MethodId FileDictionary::InlinedInto(const hindsight::Method& dynamic_method) {
  MethodId only = 0;
  for (const uint32_t id : dynamic_method.inline_candidate()) {
    const MethodId candidate = methods_.Get(id);
    if (candidate == 0 || candidate == only) continue;
    const analyzer::Method& method = model_.method(candidate);
    const std::string_view name = model_.String(method.name);
    const analyzer::Module& module =
        model_.module(method.module != 0 ? method.module : model_.type(method.type).module);
    if (method.is_dynamic || name.starts_with("get_") || name.starts_with("set_") ||
        name.starts_with('.') || naming::IsFrameworkAssembly(model_.String(module.assembly))) {
      continue;
    }
    if (only != 0) return 0;
    only = candidate;
  }
  return only;
}

void FileDictionary::Add(const hindsight::Frame& frame) {
  frames_.Put(frame.id(), {.method = Look(methods_, frame.method()),
                           .il_offset = frame.il_offset() > 0 ? frame.il_offset() - 1 : -1,
                           .known = true,
                           .inlined = frame.is_inlined(),
                           .hides_inlined = frame.hides_inlined(),
                           .contains = inlined_.Get(frame.method())});
}

void FileDictionary::Add(const hindsight::Stack& stack) {
  StackId parent = StackOf(stack.parent());
  const FrameEntry frame = frames_.Get(stack.frame());
  if (stack.frame() != 0 && !frame.known) ++dangling_;
  if (Replaces(frame.method, stack.parent())) parent = model_.stack(parent).parent;
  // Consecutive native frames are one place, because nothing distinguishes them.
  const bool repeats = frame.method == 0 && parent != 0 && model_.stack(parent).method == 0;
  StackId added = repeats ? parent : model_.AddStack(parent, frame.method);
  if (frame.contains != 0) added = model_.AddStack(added, frame.contains);
  stacks_.Put(stack.id(), {.stack = added,
                           .parent = stack.parent(),
                           .frame = stack.frame(),
                           .inlined = frame.contains});
}

StackId FileDictionary::StackOf(uint32_t id) {
  const StackId found = stacks_.Get(id).stack;
  if (id != 0 && found == 0) ++dangling_;
  return found;
}

CallId FileDictionary::CallOf(uint32_t id) {
  path_.clear();
  StackEntry entry = stacks_.Get(id);
  if (id != 0 && entry.stack == 0) ++dangling_;
  while (entry.stack != 0 && entry.call == 0 && path_.size() < kMaxStackDepth) {
    path_.push_back(id);
    id = entry.parent;
    entry = stacks_.Get(id);
  }
  CallId call = entry.call;
  for (auto place = path_.rbegin(); place != path_.rend(); ++place) {
    StackEntry step = stacks_.Get(*place);
    const FrameEntry frame = frames_.Get(step.frame);
    const bool repeats = frame.method == 0 && call != 0 && calls_->node(call).method == 0;
    if (Replaces(frame.method, step.parent)) call = calls_->node(call).parent;
    if (!repeats) {
      call = calls_->Add({.parent = call,
                          .method = frame.method,
                          .il_offset = frame.il_offset,
                          .inlined = frame.inlined,
                          .hides_inlined = frame.hides_inlined && step.inlined == 0});
    }
    if (step.inlined != 0) {
      call = calls_->Add({.parent = call, .method = step.inlined, .inlined = true});
    }
    step.call = call;
    stacks_.Put(*place, step);
  }
  return call;
}

std::vector<uint32_t> FileDictionary::PlacesOf(uint32_t id) const {
  std::vector<uint32_t> places;
  uint32_t place = 0;
  bool replaces = false;  // the inlined method of the next entry, which was not inlined after all
  for (StackEntry entry = stacks_.Get(id); entry.stack != 0 && places.size() < kMaxStackDepth;) {
    if (entry.inlined != 0 && !replaces) ++place;
    places.push_back(place);
    const StackEntry parent = stacks_.Get(entry.parent);
    replaces = Replaces(frames_.Get(entry.frame).method, entry.parent);
    if (replaces || parent.stack != entry.stack) ++place;
    entry = parent;
  }
  return places;
}

std::string_view FileDictionary::Text(uint32_t id) {
  const std::string_view text = texts_.Get(id);
  if (id != 0 && text.data() == nullptr) ++dangling_;
  return text;
}

StringId FileDictionary::Name(uint32_t id) { return model_.AddString(Text(id)); }

HandlerId FileDictionary::HandlerOf(uint32_t frame) {
  if (frame == 0) return 0;
  const FrameEntry entry = frames_.Get(frame);
  if (!entry.known) ++dangling_;
  return model_.AddHandler({.method = entry.method, .il_offset = entry.il_offset});
}

uint32_t FileDictionary::Look(const SparseTable<uint32_t>& table, uint32_t id) {
  const uint32_t found = table.Get(id);
  if (id != 0 && found == 0) ++dangling_;
  return found;
}

}  // namespace hindsight::analyzer
