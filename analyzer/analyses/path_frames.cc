#include "analyzer/analyses/path_frames.h"

#include <utility>

namespace hindsight::analyzer {

FrameId PathFrames::Add(PathFrame frame) {
  std::string key = frame.name;
  key += '\n';
  key += frame.line;
  const auto [place, is_new] =
      index_.try_emplace(std::move(key), static_cast<FrameId>(frames_.size()));
  if (is_new) frames_.push_back(std::move(frame));
  return place->second;
}

}  // namespace hindsight::analyzer
