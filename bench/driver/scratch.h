// A new empty folder, removed at the end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

namespace hindsight::bench {

class Scratch {
 public:
  Scratch() {
    std::string name = std::filesystem::temp_directory_path() / "hindsight-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hindsight::bench
