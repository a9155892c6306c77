#include "analyzer/analyses/places/called_methods.h"

#include <cstdint>
#include <map>

namespace hindsight::analyzer {

std::vector<CalledMethod> CalledBy(const CallPaths& paths, const OwnCode& code, FrameId own) {
  // For each node, the outermost one of `own` at or above it; 0: none.
  std::vector<uint32_t> below(paths.nodes.size());
  std::map<FrameId, CalledMethod> called;
  for (uint32_t i = 1; i < paths.nodes.size(); ++i) {
    const PathNode& node = paths.nodes[i];
    const uint32_t caller = below[node.parent];
    below[i] = code.owners[i] == i && node.frame == own && caller == 0 ? i : caller;
    if (caller == 0 || code.owners[i] != i || node.frame == own) continue;
    // A frame that is repeated on the path has been counted.
    bool is_again = false;
    for (uint32_t at = node.parent; at != caller && !is_again; at = paths.nodes[at].parent) {
      is_again = paths.nodes[at].frame == node.frame;
    }
    if (is_again) continue;
    CalledMethod& method = called[node.frame];
    method.frame = node.frame;
    method.total += node.total;
    const uint32_t owner = code.owners[node.parent];
    if (owner != 0 && paths.nodes[owner].frame == own) method.direct += node.total;
  }
  std::vector<CalledMethod> out;
  for (const auto& [frame, method] : called) out.push_back(method);
  return out;
}

}  // namespace hindsight::analyzer
