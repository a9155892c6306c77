// Models with samples, made in memory.
//
//   ProfileScene scene;
//   const CallId parse = scene.Call({"Shop.Program.Main", "Shop.Order.Parse"});
//   scene.Cpu(parse, 60);
//   Look(scene.model());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/model.h"

namespace hindsight::testing {

class ProfileScene {
 public:
  using CallId = analyzer::CallId;

  static constexpr uint64_t kPeriodNs = 10'000'000;

  ProfileScene();

  analyzer::Model& model() { return model_; }

  analyzer::ThreadIndex Thread(std::string_view name);
  // "Shop.Order.Parse", "Shop.Order+<SaveAsync>d__4.MoveNext"; a native function with its module:
  // "libcoreclr.so!JIT_New", "libc.so.6!" without a symbol; "[dynamic] lambda_method7".
  analyzer::MethodId Method(std::string_view name);
  // A path from the thread's root to the place; "Shop.Order.Parse@12" is a place at that IL offset.
  CallId Call(const std::vector<std::string>& path);

  // `samples` in a row, a period apart, beginning `at_ns` after the recording's start.
  void Cpu(CallId call, uint32_t samples = 1, analyzer::ThreadIndex thread = 1, int64_t at_ns = 0);
  void Allocate(CallId call, std::string_view type, double objects, double bytes);

 private:
  analyzer::TypeId Type(std::string_view name);

  analyzer::Model model_;
  std::unordered_map<std::string, analyzer::MethodId> methods_;
};

}  // namespace hindsight::testing
