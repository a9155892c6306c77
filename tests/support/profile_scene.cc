#include "tests/support/profile_scene.h"

#include <algorithm>

#include "analyzer/naming/method_names.h"

namespace hindsight::testing {

using analyzer::CpuSample;
using analyzer::MethodId;
using analyzer::ThreadIndex;
using analyzer::TypeId;

ProfileScene::ProfileScene() {
  model_.facts.application = "Shop";
  model_.facts.pid = 4242;
  model_.facts.runtime_version = "10.0.1";
  model_.facts.has_process = true;
  model_.facts.cpu_on = true;
  model_.facts.allocations_on = true;
  model_.facts.end = analyzer::EndReason::kProcessExit;
  model_.samples.cpu.period_ns = kPeriodNs;
  model_.samples.allocations.sampling = analyzer::AllocationProfile::Sampling::kBytes;
  model_.samples.allocations.mean_bytes = 100 << 10;
  Thread("main");
}

ThreadIndex ProfileScene::Thread(std::string_view name) {
  const auto index = static_cast<ThreadIndex>(model_.threads.size());
  model_.threads.push_back(
      {.id = index, .os_id = 4000 + index, .name = model_.dictionaries.AddString(name)});
  return index;
}

MethodId ProfileScene::Method(std::string_view name) {
  MethodId& id = methods_[std::string(name)];
  if (id != 0) return id;
  analyzer::Method method;
  const size_t native = name.find('!');
  if (native != std::string_view::npos) {
    method.is_native = true;
    method.name = model_.dictionaries.AddString(name.substr(native + 1));
    if (native > 0) {  // else it is in no library
      analyzer::Module module;
      module.path = model_.dictionaries.AddString("/lib/" + std::string(name.substr(0, native)));
      module.is_native = true;
      method.module = model_.dictionaries.AddModule(module);
    }
  } else if (constexpr std::string_view kDynamic = "[dynamic] "; name.starts_with(kDynamic)) {
    method.is_dynamic = true;
    method.name = model_.dictionaries.AddString(name.substr(kDynamic.size()));
  } else {
    const size_t dot = name.rfind('.');
    // ".ctor" and ".cctor" begin with a dot.
    const size_t end = dot > 0 && name[dot - 1] == '.' ? dot - 1 : dot;
    method.type = Type(name.substr(0, end));
    method.name = model_.dictionaries.AddString(name.substr(end + 1));
    method.is_plumbing = analyzer::naming::IsPlumbing(name.substr(0, end), name.substr(end + 1));
  }
  id = model_.dictionaries.AddMethod(method);
  return id;
}

TypeId ProfileScene::Type(std::string_view name) {
  analyzer::Type type;
  type.name = model_.dictionaries.AddString(name);
  return model_.dictionaries.AddType(type);
}

ProfileScene::CallId ProfileScene::Call(const std::vector<std::string>& path) {
  CallId call = 0;
  for (const std::string& frame : path) {
    const size_t at = frame.find('@');
    const int32_t il_offset = at == std::string::npos ? -1 : std::stoi(frame.substr(at + 1));
    call = model_.samples.calls.Add(call, Method(std::string_view(frame).substr(0, at)), il_offset);
  }
  return call;
}

void ProfileScene::Cpu(CallId call, uint32_t samples, ThreadIndex thread, int64_t at_ns) {
  analyzer::CpuProfile& cpu = model_.samples.cpu;
  for (uint32_t i = 0; i < samples; ++i) {
    CpuSample sample;
    sample.at_ns = at_ns + static_cast<int64_t>(i * kPeriodNs);
    sample.thread = thread;
    sample.call = call;
    sample.cpu_ns = kPeriodNs;
    cpu.samples.push_back(sample);
    ++cpu.count;
    cpu.cpu_ns += kPeriodNs;
    model_.facts.last_ns = std::max(model_.facts.last_ns, sample.at_ns);
  }
}

void ProfileScene::Allocate(CallId call, std::string_view type, double objects, double bytes) {
  analyzer::AllocationProfile& allocations = model_.samples.allocations;
  allocations.samples.push_back({.thread = 1,
                                 .call = call,
                                 .type = Type(type),
                                 .size = static_cast<uint64_t>(bytes / objects),
                                 .objects = objects,
                                 .bytes = bytes});
  ++allocations.count;
  allocations.bytes += bytes;
}

}  // namespace hindsight::testing
