// CPU samples of a recording as lists of names, and what CpuHot's truth.json says about them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/model.h"

namespace hindsight::live {

struct CpuStack {
  std::string thread;
  std::vector<std::string> methods;  // innermost first, Type.Method as in the metadata; native: "!"
  int64_t at_ns = 0;
  uint64_t cpu_ns = 0;
  bool rooted = false;

  bool Has(std::string_view method) const;
};

class CpuRecording {
 public:
  // Throws std::runtime_error when it can't be read.
  explicit CpuRecording(const std::filesystem::path& path);

  const analyzer::Model& model() const { return *model_; }
  const std::vector<CpuStack>& stacks() const { return stacks_; }  // in order of time

  // CPU time by innermost frame.
  std::map<std::string, uint64_t> SelfNs() const;
  uint64_t NsOfThread(std::string_view thread) const;
  // Leaves out what cannot be rooted. For a thread that existed before an attach, the first sample
  // has only its location, since its stack is not known yet. Not `attached`: the process's first
  // half second of CPU time, since samples follow only frame pointers until 0.2 s are over and the
  // unwind tables are read.
  double RootedShare(bool attached) const;

 private:
  std::unique_ptr<analyzer::Model> model_;
  std::vector<CpuStack> stacks_;
};

nlohmann::json CpuTruth();  // its cases
// What one of them says about methods in `table`: by method; empty if it has no such table.
std::map<std::string, nlohmann::json> OfMethods(const nlohmann::json& one, const char* table);

// Of all frames whose callers truth.json names: the share that is next to one of them.
struct CallerCheck {
  uint64_t right = 0, checked = 0;
  std::map<std::string, uint64_t> wrong;  // "method <- what is there"

  double RightShare() const;
  std::string Describe() const;
};
CallerCheck CheckCallers(const CpuRecording& recording, const nlohmann::json& cases);

}  // namespace hindsight::live
