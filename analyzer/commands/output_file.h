// What a command writes: a file under a name of its own until it is whole, private to the user; a
// device, a pipe or what a symbolic link leads to as it is (see base/private_file.h).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// An error if `name` is a recording: what is written would take its place.
Result<void> RefuseRecording(const std::string& name);

// FILE.part until Finish; removed if that is never reached. Written through, there is no such file.
// One thread.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::string& name);  // refuses recordings
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  bool Write(std::string_view bytes);  // false: it failed, now or before
  // Gives the file its name. The error of the first write that failed, if one has.
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
