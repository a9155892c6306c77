// A regular file, open for reading by offset. A copy and no mapping: a file that shrinks meanwhile
// must not end the process.
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
// None: it cannot be looked at, or is no regular file.
std::optional<FileFacts> FactsOf(const std::string& path);

class RegularFile {
 public:
  // None, with the reason in `error` (as errno has them); 0: what is there is no regular file.
  // Waits for nobody, as opening a pipe would. Others may write, rename and delete the file
  // meanwhile.
  static std::optional<RegularFile> Open(const std::string& path, int& error);
  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&& other) noexcept;
  ~RegularFile();

  // When it was opened: a file that still grows is read up to there.
  uint64_t size() const { return size_; }
  // Reads up to out.size() bytes. Fewer: the end, or an I/O error.
  size_t ReadAt(uint64_t offset, std::span<std::byte> out) const;

 private:
  static constexpr intptr_t kNone = -1;
  RegularFile(intptr_t handle, uint64_t size) : handle_(handle), size_(size) {}
  intptr_t handle_ = kNone;  // the system's
  uint64_t size_ = 0;
};

}  // namespace hindsight::analyzer
