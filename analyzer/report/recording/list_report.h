// `hindsight list`: the recordings in a folder, the newest first.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/fields/shape.h"
#include "analyzer/model/found_recording.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct ListView {
  std::string_view folder;
  std::span<const FoundRecording> recordings;
};

std::string ListText(const ListView& view, const TextStyle& style);
std::string ListJson(const ListView& view);
SharedShape ListShape();

}  // namespace hindsight::analyzer
