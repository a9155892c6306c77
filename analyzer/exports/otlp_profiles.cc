#include "analyzer/exports/otlp_profiles.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/method_names.h"
#include "analyzer/base/text.h"
#include "analyzer/exports/application_build.h"
#include "analyzer/exports/otlp_profiles.pb.h"
#include "analyzer/exports/saturated.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kTraceIdBytes = 16, kSpanIdBytes = 8;

struct OtlpType {
  std::string_view type, unit;
};

// Named as in the specification and in OpenTelemetry's own profilers.
OtlpType OtlpTypeOf(ProfileSignal signal, size_t measure) {
  switch (signal) {
    case ProfileSignal::kCpu:
      return measure == 0 ? OtlpType{"cpu", "nanoseconds"} : OtlpType{"samples", "count"};
    case ProfileSignal::kAllocations:
      return measure == 0 ? OtlpType{"allocated_space", "bytes"}
                          : OtlpType{"allocated_objects", "count"};
    case ProfileSignal::kExceptions:
      return {"exceptions", "count"};
    case ProfileSignal::kLocks:
      return measure == 0 ? OtlpType{"lock_delay", "nanoseconds"}
                          : OtlpType{"lock_contentions", "count"};
    case ProfileSignal::kWall:
      return {"wall", "nanoseconds"};
  }
  return {};
}

class OtlpWriter {
 public:
  OtlpWriter(const Model& model, const StackProfile& profile, const Lines* lines)
      : model_(model),
        profile_(profile),
        source_(lines),
        names_(model.dictionaries),
        dictionary_(*out_.mutable_dictionary()) {
    // The first entry of each table stands for nothing.
    Text("");
    dictionary_.add_mapping_table();
    dictionary_.add_location_table();
    dictionary_.add_function_table();
    dictionary_.add_attribute_table();
    dictionary_.add_stack_table();
    otlp::Link& link = *dictionary_.add_link_table();
    link.set_trace_id(std::string(kTraceIdBytes, '\0'));
    link.set_span_id(std::string(kSpanIdBytes, '\0'));
  }

  const otlp::ProfilesData& Make(std::string_view version) {
    otlp::ResourceProfiles& of_resource = *out_.add_resource_profiles();
    DescribeResource(*of_resource.mutable_resource());
    otlp::ScopeProfiles& of_scope = *of_resource.add_scope_profiles();
    of_scope.mutable_scope()->set_name("hindsight");
    of_scope.mutable_scope()->set_version(std::string(version));
    for (size_t i = 1; i < profile_.frames.size(); ++i) AddLocation(profile_.frames[i]);
    for (size_t i = 0; i < profile_.measures.size(); ++i) AddProfile(*of_scope.add_profiles(), i);
    return out_;
  }

  OtlpTotals totals() const {
    return {static_cast<uint64_t>(profile_.rows.size()),
            static_cast<uint64_t>(dictionary_.function_table_size() - 1), false};
  }

 private:
  int32_t Text(std::string_view text) {
    const auto [place, is_new] =
        strings_.try_emplace(PrintableLines(text), dictionary_.string_table_size());
    if (is_new) dictionary_.add_string_table(place->first);
    return place->second;
  }

  static void AddTo(otlp::Resource& resource, const char* key, std::string_view value) {
    if (value.empty()) return;
    otlp::KeyValue& attribute = *resource.add_attributes();
    attribute.set_key(key);
    attribute.mutable_value()->set_string_value(PrintableLines(value));
  }

  void DescribeResource(otlp::Resource& resource) const {
    const RecordingFacts& facts = model_.facts;
    AddTo(resource, "service.name",
          facts.application.empty() ? "unknown_service:dotnet" : facts.application);
    AddTo(resource, "host.name", facts.host);
    AddTo(resource, "process.runtime.name", ".NET");
    AddTo(resource, "process.runtime.version", facts.runtime_version);
    AddTo(resource, "hindsight.build", ApplicationBuild(model_));
    if (facts.pid == 0) return;
    otlp::KeyValue& attribute = *resource.add_attributes();
    attribute.set_key("process.pid");
    attribute.mutable_value()->set_int_value(facts.pid);
  }

  // References to an attribute with a text or, if that is empty, with a number.
  int32_t AttributeOf(const char* key, std::string_view text, int64_t number = 0) {
    std::string valid = PrintableLines(text);
    const auto [place, is_new] =
        attributes_.try_emplace({key, valid.empty() ? std::to_string(number) : "'" + valid},
                                dictionary_.attribute_table_size());
    if (is_new) {
      otlp::KeyValueAndUnit& attribute = *dictionary_.add_attribute_table();
      attribute.set_key_strindex(Text(key));
      if (valid.empty()) {
        attribute.mutable_value()->set_int_value(number);
      } else {
        attribute.mutable_value()->set_string_value(std::move(valid));
      }
    }
    return place->second;
  }

  int32_t MappingOf(ModuleId id) {
    if (id == 0) return 0;
    const auto [place, is_new] = mappings_.try_emplace(id, dictionary_.mapping_table_size());
    if (is_new) {
      const Dictionaries& dictionaries = model_.dictionaries;
      const Module& module = dictionaries.module(id);
      const std::string_view path = dictionaries.String(module.path);
      otlp::Mapping& mapping = *dictionary_.add_mapping_table();
      mapping.set_filename_strindex(
          Text(path.empty() ? dictionaries.String(module.assembly) : path));
      const std::string build = FormatHex(module.is_native ? module.build_id : module.mvid);
      if (!build.empty()) {
        mapping.add_attribute_indices(AttributeOf(
            module.is_native ? "process.executable.build_id.gnu" : "hindsight.mvid", build));
      }
    }
    return place->second;
  }

  // One for each method and file. Frames that are not methods only have a name.
  int32_t FunctionOf(const ProfileFrame& frame, std::string_view file) {
    const int32_t name = Text(frame.name), in = Text(file);
    const auto [place, is_new] =
        functions_.try_emplace({frame.method, {name, in}}, dictionary_.function_table_size());
    if (is_new) {
      otlp::Function& function = *dictionary_.add_function_table();
      function.set_name_strindex(name);
      function.set_system_name_strindex(Text(frame.raw_name.empty() ? frame.name : frame.raw_name));
      function.set_filename_strindex(in);
    }
    return place->second;
  }

  // Locations have the same numbers as frames.
  void AddLocation(const ProfileFrame& frame) {
    const Method& method = model_.dictionaries.method(frame.method);
    const int32_t mapping = MappingOf(method.module);
    const SourceLine place =
        source_ != nullptr ? source_->Of(frame.method, frame.il_offset) : SourceLine();
    const int32_t function = FunctionOf(frame, place.file);
    otlp::Location& location = *dictionary_.add_location_table();
    location.set_mapping_index(mapping);
    if (method.is_native) location.set_address(method.native_rva);
    otlp::Line& line = *location.add_lines();
    line.set_function_index(function);
    if (place.known()) line.set_line(place.line);
    if (frame.method != 0) {
      location.add_attribute_indices(
          AttributeOf("profile.frame.type", method.is_native ? "native" : "dotnet"));
    }
  }

  int32_t StackOf(uint32_t node) {
    const auto [place, is_new] = stacks_.try_emplace(node, dictionary_.stack_table_size());
    if (is_new) {
      otlp::Stack& stack = *dictionary_.add_stack_table();
      for (const uint32_t frame : profile_.PathOf(node)) {
        stack.add_location_indices(static_cast<int32_t>(frame));
      }
    }
    return place->second;
  }

  void SetType(otlp::ValueType& type, const OtlpType& name) {
    type.set_type_strindex(Text(name.type));
    type.set_unit_strindex(Text(name.unit));
  }

  void AddProfile(otlp::Profile& profile, size_t measure) {
    SetType(*profile.mutable_sample_type(), OtlpTypeOf(profile_.signal, measure));
    profile.set_time_unix_nano(model_.facts.started_unix_ns +
                               static_cast<uint64_t>(profile_.from_ns));
    profile.set_duration_nano(static_cast<uint64_t>(profile_.to_ns - profile_.from_ns));
    if (profile_.period != 0) {
      SetType(*profile.mutable_period_type(), OtlpTypeOf(profile_.signal, 0));
      profile.set_period(SaturatedInt64(profile_.period));
    }
    for (const ProfileRow& row : profile_.rows) {
      otlp::Sample& sample = *profile.add_samples();
      sample.set_stack_index(StackOf(row.node));
      sample.add_values(SaturatedInt64(row.values[measure]));
      if (row.thread != 0) {
        sample.add_attribute_indices(AttributeOf("thread.name", ThreadTitle(model_, row.thread)));
      }
      if (row.type != 0) {
        const bool is_thrown = profile_.signal == ProfileSignal::kExceptions;
        sample.add_attribute_indices(
            AttributeOf(is_thrown ? "exception.type" : "hindsight.type", names_.Type(row.type)));
      }
    }
  }

  const Model& model_;
  const StackProfile& profile_;
  const Lines* source_;
  MethodNames names_;
  otlp::ProfilesData out_;
  otlp::ProfilesDictionary& dictionary_;
  std::unordered_map<std::string, int32_t> strings_;
  std::map<std::pair<std::string, std::string>, int32_t> attributes_;
  std::map<std::pair<MethodId, std::pair<int32_t, int32_t>>, int32_t> functions_;
  std::unordered_map<ModuleId, int32_t> mappings_;
  std::unordered_map<uint32_t, int32_t> stacks_;
};

}  // namespace

OtlpTotals WriteOtlpProfiles(const Model& model, const StackProfile& profile,
                             std::string_view version, const Lines* lines, const ByteSink& sink) {
  OtlpWriter writer(model, profile, lines);
  std::string bytes;
  const bool is_made = writer.Make(version).SerializeToString(&bytes);
  OtlpTotals totals = writer.totals();
  totals.written = is_made && sink(bytes);
  return totals;
}

}  // namespace hindsight::analyzer
