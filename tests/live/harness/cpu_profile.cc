#include "tests/live/harness/cpu_profile.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "tests/live/harness/process.h"

namespace hindsight::live {
namespace {

std::string NameOf(const analyzer::Dictionaries& names, analyzer::MethodId id) {
  if (id == 0) return "?";
  const analyzer::Method& method = names.method(id);
  const std::string name(names.String(method.name));
  if (method.is_native) return '!' + name;
  return std::string(names.String(names.type(method.type).name)) + '.' + name;
}

}  // namespace

bool CpuStack::Has(std::string_view method) const {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

CpuRecording::CpuRecording(const std::filesystem::path& path) {
  const std::vector<std::string> paths = {path};
  analyzer::Result<analyzer::Recording> recording = analyzer::Recording::Open(paths);
  if (!recording) throw std::runtime_error(recording.error().sentence);
  auto model = analyzer::BuildModel(*recording, {});
  if (!model) throw std::runtime_error(model.error().sentence);
  model_ = std::move(*model);
  for (const analyzer::CpuSample& sample : model_->samples.cpu.samples) {
    CpuStack stack;
    stack.thread = model_->dictionaries.String(model_->threads[sample.thread].name);
    for (const analyzer::CallId call : model_->samples.calls.Path(sample.call)) {
      stack.methods.push_back(
          NameOf(model_->dictionaries, model_->samples.calls.node(call).method));
    }
    stack.at_ns = sample.at_ns;
    stack.cpu_ns = sample.cpu_ns;
    stack.rooted = !sample.unrooted;
    stacks_.push_back(std::move(stack));
  }
  std::ranges::stable_sort(stacks_, {}, &CpuStack::at_ns);
}

std::map<std::string, uint64_t> CpuRecording::SelfNs() const {
  std::map<std::string, uint64_t> self;
  for (const CpuStack& stack : stacks_) {
    if (!stack.methods.empty()) self[stack.methods.front()] += stack.cpu_ns;
  }
  return self;
}

uint64_t CpuRecording::NsOfThread(std::string_view thread) const {
  uint64_t ns = 0;
  for (const CpuStack& stack : stacks_) ns += stack.thread == thread ? stack.cpu_ns : 0;
  return ns;
}

double CpuRecording::RootedShare(bool attached) const {
  constexpr uint64_t kStartNs = 500'000'000;
  std::set<std::string> excused;
  uint64_t cpu_ns = 0, checked = 0, unrooted = 0;
  for (const CpuStack& stack : stacks_) {
    cpu_ns += stack.cpu_ns;
    if (!attached && cpu_ns <= kStartNs) continue;
    ++checked;
    if (stack.rooted) continue;
    const bool is_first =
        attached && stack.methods.size() <= 1 && excused.insert(stack.thread).second;
    unrooted += is_first ? 0 : 1;
  }
  return checked == 0 ? 0 : 1 - static_cast<double>(unrooted) / static_cast<double>(checked);
}

nlohmann::json CpuTruth() {
  return nlohmann::json::parse(ReadFile(HINDSIGHT_SOURCE_DIR "/samples/CpuHot/truth.json"))
      .at("cases");
}

std::map<std::string, nlohmann::json> OfMethods(const nlohmann::json& one, const char* table) {
  if (!one.contains(table)) return {};
  return one.at(table).get<std::map<std::string, nlohmann::json>>();
}

double CallerCheck::RightShare() const {
  return static_cast<double>(right) / static_cast<double>(checked);
}

std::string CallerCheck::Describe() const {
  std::string text = std::to_string(right) + " of " + std::to_string(checked) + " callers right";
  for (const auto& [what, count] : wrong) text += "\n  " + std::to_string(count) + "  " + what;
  return text;
}

CallerCheck CheckCallers(const CpuRecording& recording, const nlohmann::json& cases) {
  std::map<std::string, std::vector<std::string>> callers;
  for (const nlohmann::json& one : cases) {
    for (const auto& [method, allowed] : OfMethods(one, "callers")) {
      callers[method] = allowed.get<std::vector<std::string>>();
    }
  }
  CallerCheck check;
  for (const CpuStack& stack : recording.stacks()) {
    for (size_t i = 0; i < stack.methods.size(); ++i) {
      const auto known = callers.find(stack.methods[i]);
      if (known == callers.end()) continue;
      const std::string next = i + 1 < stack.methods.size() ? stack.methods[i + 1] : "nothing";
      const auto& allowed = known->second;
      ++check.checked;
      if (std::find(allowed.begin(), allowed.end(), next) != allowed.end()) {
        ++check.right;
      } else {
        ++check.wrong[known->first + " <- " + next];
      }
    }
  }
  return check;
}

}  // namespace hindsight::live
