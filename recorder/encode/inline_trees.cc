#include "recorder/encode/inline_trees.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace hindsight::recorder {
namespace {

// dotnet/runtime, src/coreclr/vm/eventtrace.cpp, ETW::MethodLog::SendMethodRichDebugInfo: two
// counts, the nodes of the tree (method, IL offset of the call in the parent, first child, next
// sibling; 0 for none), and the mappings (IL offset, node, native offset, kind of source).
constexpr size_t kHeaderBytes = 8, kNodeBytes = 20, kMappingBytes = 13;

template <typename T>
T ReadAt(const uint8_t* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

}  // namespace

bool InlineTree::Read(std::span<const uint8_t> payload) {
  nodes_.clear();
  ranges_.clear();
  if (payload.size() < kHeaderBytes) return false;
  const uint64_t nodes = ReadAt<uint32_t>(payload.data());
  const uint64_t mappings = ReadAt<uint32_t>(payload.data() + 4);
  if (nodes == 0 ||
      payload.size() != kHeaderBytes + nodes * kNodeBytes + mappings * kMappingBytes) {
    return false;
  }
  const uint8_t* const node_data = payload.data() + kHeaderBytes;
  nodes_.reserve(nodes);
  for (uint64_t i = 0; i < nodes; ++i) {
    const uint8_t* const node = node_data + i * kNodeBytes;
    nodes_.push_back({ReadAt<uint64_t>(node), ReadAt<uint32_t>(node + 8), kNoParent});
  }
  for (uint64_t i = 0; i < nodes; ++i) {
    uint32_t child = ReadAt<uint32_t>(node_data + i * kNodeBytes + 12);
    // Each node gets only one parent, so that this ends.
    while (child != 0 && child < nodes && nodes_[child].parent == kNoParent) {
      nodes_[child].parent = static_cast<uint32_t>(i);
      child = ReadAt<uint32_t>(node_data + child * kNodeBytes + 16);
    }
  }
  const uint8_t* mapping = node_data + nodes * kNodeBytes;
  ranges_.reserve(mappings);
  for (uint64_t i = 0; i < mappings; ++i, mapping += kMappingBytes) {
    const Range range = {ReadAt<uint32_t>(mapping + 8), ReadAt<uint32_t>(mapping + 4),
                         ReadAt<uint32_t>(mapping)};
    if (range.node >= nodes) continue;
    // Of several mappings at one offset, the last is the instruction's own: the others have no
    // code.
    if (!ranges_.empty() && ranges_.back().native_offset == range.native_offset) {
      ranges_.back() = range;
    } else {
      ranges_.push_back(range);
    }
  }
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.native_offset < b.native_offset;
  });
  return true;
}

const InlineTree::Range* InlineTree::RangeAt(uint32_t native_offset) const {
  const auto next =
      std::upper_bound(ranges_.begin(), ranges_.end(), native_offset,
                       [](uint32_t at, const Range& range) { return at < range.native_offset; });
  return next == ranges_.begin() ? nullptr : &*std::prev(next);
}

uint32_t InlineTree::PlaceOf(uint32_t native_offset) const {
  const Range* const range = RangeAt(native_offset);
  return range != nullptr ? range->native_offset : 0;
}

std::vector<InlinedPlace> InlineTree::At(uint32_t native_offset) const {
  std::vector<InlinedPlace> places;
  const Range* const range = RangeAt(native_offset);
  if (range == nullptr || range->node == 0) return places;
  uint32_t node = range->node, il_offset = range->il_offset;
  for (size_t steps = 0; steps < nodes_.size(); ++steps) {
    places.push_back({nodes_[node].function, il_offset});
    if (nodes_[node].parent == kNoParent) break;
    il_offset = nodes_[node].call_il_offset;
    node = nodes_[node].parent;
  }
  if (node != 0) return {};  // damaged
  std::reverse(places.begin(), places.end());
  return places;
}

void InlineTrees::Add(uint32_t thread, uintptr_t start, uint32_t chunk, bool last,
                      std::span<const uint8_t> bytes) {
  InlineTree tree;
  if (chunk == 0 && last) {
    pending_.erase(thread);
    if (tree.Read(bytes)) Keep(start, std::move(tree));
    return;
  }
  if (chunk == 0) pending_[thread] = {.start = start, .chunks = 0, .payload = {}};
  const auto found = pending_.find(thread);
  if (found == pending_.end()) return;
  Pending& pending = found->second;
  if (pending.start != start || pending.chunks != chunk ||
      pending.payload.size() + bytes.size() > kMaxPayload) {  // one was lost, or it is too large
    pending_.erase(found);
    return;
  }
  ++pending.chunks;
  pending.payload.insert(pending.payload.end(), bytes.begin(), bytes.end());
  if (!last) return;
  if (tree.Read(pending.payload)) Keep(start, std::move(tree));
  pending_.erase(found);
}

void InlineTrees::AddPlain(uintptr_t start) { Keep(start, {}); }

void InlineTrees::Keep(uintptr_t start, InlineTree tree) {
  const auto known = bodies_.find(start);
  if (known != bodies_.end()) {
    bytes_ -= known->second.bytes() + kBytesPerBody;
    bodies_.erase(known);
  }
  const size_t more = tree.bytes() + kBytesPerBody;
  if (bytes_ + more > limit_bytes_) return;
  bytes_ += more;
  bodies_.emplace(start, std::move(tree));
}

void InlineTrees::Forget() {
  bodies_ = {};
  pending_ = {};
  bytes_ = 0;
}

const InlineTree* InlineTrees::Find(uintptr_t start) const {
  const auto known = bodies_.find(start);
  return known != bodies_.end() ? &known->second : nullptr;
}

}  // namespace hindsight::recorder
