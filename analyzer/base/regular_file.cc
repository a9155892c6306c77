#include "analyzer/base/regular_file.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "analyzer/base/path_text.h"

namespace hindsight::analyzer {

std::optional<FileFacts> FactsOf(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(PathOf(path), error)) return std::nullopt;
  FileFacts facts;
  facts.bytes = fs::file_size(PathOf(path), error);
  if (error) return std::nullopt;
  const fs::file_time_type time = fs::last_write_time(PathOf(path), error);
  if (error) return std::nullopt;
  const auto since = fs::file_time_type::clock::to_sys(time).time_since_epoch();
  const int64_t ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  facts.modified_unix_ns = static_cast<uint64_t>(std::max<int64_t>(0, ns));
  return facts;
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : handle_(std::exchange(other.handle_, kNone)), size_(other.size_) {}

RegularFile& RegularFile::operator=(RegularFile&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace hindsight::analyzer
