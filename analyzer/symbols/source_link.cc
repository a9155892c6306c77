#include "analyzer/symbols/source_link.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hindsight::analyzer::symbols {
namespace {

constexpr size_t kMostJsonBytes = 1 << 20;
constexpr size_t kMostEntries = 4096;

// Paths are compared ignoring case, and \ is equivalent to /.
std::string Folded(std::string_view path) {
  std::string folded(path);
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
    return c == '\\' ? '/' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return folded;
}

// The replacement of the star in an address: separators stay, the rest is escaped (RFC 3986).
std::string Escaped(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("/-._~").find(c) != std::string_view::npos;
    if (c == '\\') {
      out += '/';
    } else if (is_plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

}  // namespace

SourceLink::SourceLink(std::string_view json) {
  if (json.size() > kMostJsonBytes) return;
  const auto root = nlohmann::json::parse(json, nullptr, false);
  if (!root.is_object() || !root.contains("documents") || !root["documents"].is_object()) return;
  for (const auto& [path, address] : root["documents"].items()) {
    if (!address.is_string() || entries_.size() == kMostEntries) continue;
    const std::string url = address.get<std::string>();
    if (!url.starts_with("https://") && !url.starts_with("http://")) continue;
    const size_t star = url.find('*');
    Entry entry{Folded(path), url, "", path.ends_with('*')};
    if (entry.is_wildcard != (star != std::string::npos)) continue;
    if (entry.is_wildcard) {
      entry.path.pop_back();
      entry.before = url.substr(0, star);
      entry.after = url.substr(star + 1);
    }
    entries_.push_back(std::move(entry));
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    if (a.is_wildcard != b.is_wildcard) return b.is_wildcard;
    return a.path.size() > b.path.size();
  });
}

std::string SourceLink::Url(std::string_view path) const {
  const std::string folded = Folded(path);
  for (const Entry& entry : entries_) {
    if (!entry.is_wildcard) {
      if (folded == entry.path) return entry.before;
    } else if (folded.starts_with(entry.path)) {
      return entry.before + Escaped(path.substr(entry.path.size())) + entry.after;
    }
  }
  return {};
}

}  // namespace hindsight::analyzer::symbols
