// A regular file, open for reading by offset. Reads into a copy instead of mapping the file: a file
// that shrinks meanwhile must not kill the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace hindsight::analyzer {

struct FileFacts {
  uint64_t bytes = 0;
  uint64_t modified_unix_ns = 0;
};
// nullopt: it cannot be examined, or is not a regular file.
std::optional<FileFacts> FactsOf(const std::string& path);

class RegularFile {
 public:
  // nullopt, with the reason in `error` (an errno); 0: it is not a regular file. Does not block, as
  // opening a pipe would. Others may write, rename and delete the file meanwhile.
  static std::optional<RegularFile> Open(const std::string& path, int& error);
  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&& other) noexcept;
  ~RegularFile();

  // At opening: a file that still grows is only read up to there.
  uint64_t size() const { return size_; }
  // Reads up to out.size() bytes. Fewer: end of file, or an I/O error.
  size_t ReadAt(uint64_t offset, std::span<std::byte> out) const;

 private:
  static constexpr intptr_t kNone = -1;
  RegularFile(intptr_t handle, uint64_t size) : handle_(handle), size_(size) {}
  intptr_t handle_ = kNone;  // of the system
  uint64_t size_ = 0;
};

}  // namespace hindsight::analyzer
