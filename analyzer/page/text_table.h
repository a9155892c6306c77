// Texts of a recording, each once: columns of JSON refer to them by number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// `text` as a page may show it: printable, and shortened in the middle if it is longer than `most`
// bytes.
std::string PageText(std::string_view text, size_t most = 320);

// Not thread-safe.
class TextTable {
 public:
  // The text's number: dense, from 0.
  uint32_t Of(std::string_view text) {
    const auto [place, is_new] =
        index_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(PageText(text));
    return place->second;
  }

  Json Take() && { return std::move(texts_); }  // an array of all

 private:
  std::unordered_map<std::string, uint32_t> index_;
  Json texts_ = Json::array();
};

}  // namespace hindsight::analyzer
