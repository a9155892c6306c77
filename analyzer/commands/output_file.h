// The output of a command: a file under a temporary name until it is complete, private to the user;
// a device, a pipe or the target of a symbolic link is written directly (see base/private_file.h).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// An error if `name` is a recording, which the output would replace.
Result<void> RefuseRecording(const std::string& name);

// Writes FILE.part until Finish; without Finish, it is removed. If the output is written through,
// there is no such file. Not thread-safe.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::string& name);  // refuses recordings
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  bool Write(std::string_view bytes);  // false: it failed, now or earlier
  // Gives the file its name. Returns the error of the first failed write, if any.
  Result<void> Finish();
  uint64_t bytes() const { return bytes_; }  // written

 private:
  OutputFile(std::string name, bool through) : name_(std::move(name)), through_(through) {}
  std::string Part() const { return name_ + ".part"; }
  void RemovePart() const;

  std::string name_;
  bool through_;
  std::FILE* file_ = nullptr;
  int error_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace hindsight::analyzer
