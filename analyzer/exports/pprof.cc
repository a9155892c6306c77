#include "analyzer/exports/pprof.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/base/text.h"
#include "analyzer/exports/application_build.h"
#include "analyzer/exports/gzip.h"
#include "analyzer/exports/pprof.pb.h"
#include "analyzer/exports/saturated.h"

namespace hindsight::analyzer {
namespace {

struct SampleType {
  std::string_view type;
  std::string_view unit;
};

// Named as in Go's own profiles, so that habits and scripts still work. Parallel to the measures.
SampleType NameOf(ProfileSignal signal, size_t measure) {
  switch (signal) {
    case ProfileSignal::kCpu:
      return measure == 0 ? SampleType{"cpu", "nanoseconds"} : SampleType{"samples", "count"};
    case ProfileSignal::kAllocations:
      return measure == 0 ? SampleType{"alloc_space", "bytes"}
                          : SampleType{"alloc_objects", "count"};
    case ProfileSignal::kExceptions:
      return {"exceptions", "count"};
    case ProfileSignal::kLocks:
      return measure == 0 ? SampleType{"delay", "nanoseconds"} : SampleType{"contentions", "count"};
    case ProfileSignal::kWall:
      return {"wall", "nanoseconds"};
  }
  return {};
}

class PprofWriter {
 public:
  PprofWriter(const Model& model, const StackProfile& profile, const Lines* lines)
      : model_(model), profile_(profile), source_(lines), names_(model.dictionaries) {
    Text("");
  }

  pprof::Profile& Make(const ExportFacts& facts) {
    Head(facts);
    // The application's own assembly is the first mapping, because tools take their title from it.
    for (const ProfileFrame& frame : profile_.frames) {
      const ModuleId module = model_.dictionaries.method(frame.method).module;
      if (module != 0 && !model_.facts.application.empty() &&
          model_.dictionaries.String(model_.dictionaries.module(module).assembly) ==
              model_.facts.application) {
        MappingOf(module);
        break;
      }
    }
    for (size_t i = 1; i < profile_.frames.size(); ++i) AddLocation(i, profile_.frames[i]);
    for (const ProfileRow& row : profile_.rows) AddSample(row);
    return out_;
  }

  PprofTotals totals() const {
    return {static_cast<uint64_t>(out_.sample_size()), static_cast<uint64_t>(out_.function_size()),
            lines_, false};
  }

 private:
  int64_t Text(std::string_view text) {
    std::string valid = PrintableLines(text);
    const auto [place, is_new] = strings_.try_emplace(std::move(valid), out_.string_table_size());
    if (is_new) out_.add_string_table(place->first);
    return place->second;
  }

  void Head(const ExportFacts& facts) {
    // The main type comes last: readers that do not support a default look there.
    for (size_t i = profile_.measures.size(); i-- > 0;) {
      const SampleType name = NameOf(profile_.signal, i);
      pprof::ValueType& type = *out_.add_sample_type();
      type.set_type(Text(name.type));
      type.set_unit(Text(name.unit));
    }
    const SampleType main = NameOf(profile_.signal, 0);
    out_.set_default_sample_type(Text(main.type));
    if (profile_.period != 0) {
      const bool is_cpu = profile_.signal == ProfileSignal::kCpu;
      out_.mutable_period_type()->set_type(Text(is_cpu ? "cpu" : "space"));
      out_.mutable_period_type()->set_unit(Text(main.unit));
      out_.set_period(SaturatedInt64(profile_.period));
    }
    const uint64_t start = model_.facts.started_unix_ns;
    out_.set_time_nanos(SaturatedInt64(start + static_cast<uint64_t>(profile_.from_ns)));
    out_.set_duration_nanos(profile_.to_ns - profile_.from_ns);
    out_.add_comment(Text(facts.title));
    out_.add_comment(Text("written by " + facts.creator));
  }

  uint64_t MappingOf(ModuleId id) {
    if (id == 0) return 0;
    const auto [place, is_new] = mappings_.try_emplace(id, out_.mapping_size() + 1);
    if (is_new) {
      const Dictionaries& dictionaries = model_.dictionaries;
      const Module& module = dictionaries.module(id);
      const std::string_view path = dictionaries.String(module.path);
      pprof::Mapping& mapping = *out_.add_mapping();
      mapping.set_id(place->second);
      mapping.set_filename(Text(path.empty() ? dictionaries.String(module.assembly) : path));
      mapping.set_build_id(Text(FormatHex(module.is_native ? module.build_id : module.mvid)));
      mapping.set_has_functions(true);
    }
    return place->second;
  }

  // One for each method and file. Frames that are not methods only have a name.
  uint64_t FunctionOf(const ProfileFrame& frame, std::string_view file) {
    const int64_t name = Text(frame.name);
    const std::string key = std::to_string(frame.method) + ':' + std::to_string(name) + ':' +
                            std::to_string(Text(file));
    const auto [place, is_new] = functions_.try_emplace(key, out_.function_size() + 1);
    if (is_new) {
      pprof::Function& function = *out_.add_function();
      function.set_id(place->second);
      function.set_name(name);
      function.set_system_name(Text(frame.raw_name.empty() ? frame.name : frame.raw_name));
      function.set_filename(Text(file));
    }
    return place->second;
  }

  void AddLocation(size_t id, const ProfileFrame& frame) {
    const Method& method = model_.dictionaries.method(frame.method);
    pprof::Location& location = *out_.add_location();
    location.set_id(id);
    const uint64_t mapping = MappingOf(method.module);
    location.set_mapping_id(mapping);
    if (method.is_native) location.set_address(method.native_rva);
    const SourceLine place =
        source_ != nullptr ? source_->Of(frame.method, frame.il_offset) : SourceLine();
    pprof::Line& line = *location.add_line();
    line.set_function_id(FunctionOf(frame, place.file));
    if (place.known()) {
      line.set_line(place.line);
      ++lines_;
      if (mapping != 0) {
        pprof::Mapping& module = *out_.mutable_mapping(static_cast<int>(mapping) - 1);
        module.set_has_filenames(true);
        module.set_has_line_numbers(true);
      }
    }
  }

  void AddSample(const ProfileRow& row) {
    pprof::Sample& sample = *out_.add_sample();
    for (const uint32_t frame : profile_.PathOf(row.node)) sample.add_location_id(frame);
    for (size_t i = profile_.measures.size(); i-- > 0;)
      sample.add_value(SaturatedInt64(row.values[i]));
    if (row.thread != 0) AddLabel(sample, "thread", ThreadTitle(model_, row.thread));
    if (row.type != 0) AddLabel(sample, "type", names_.Type(row.type));
    AddLabel(sample, "process", model_.facts.application);
    AddLabel(sample, "version", model_.facts.runtime_version);
    AddLabel(sample, "build", build_);
    AddLabel(sample, "host", model_.facts.host);
  }

  void AddLabel(pprof::Sample& sample, std::string_view key, std::string_view value) {
    if (value.empty()) return;
    pprof::Label& label = *sample.add_label();
    label.set_key(Text(key));
    label.set_str(Text(value));
  }

  const Model& model_;
  const StackProfile& profile_;
  const Lines* source_;
  MethodNames names_;
  const std::string build_ = ApplicationBuild(model_);
  pprof::Profile out_;
  std::unordered_map<std::string, int64_t> strings_;
  std::unordered_map<std::string, uint64_t> functions_;
  std::unordered_map<ModuleId, uint64_t> mappings_;
  uint64_t lines_ = 0;
};

}  // namespace

PprofTotals WritePprof(const Model& model, const StackProfile& profile, const ExportFacts& facts,
                       const Lines* lines, const ByteSink& sink) {
  PprofWriter writer(model, profile, lines);
  std::string bytes;
  const bool is_made = writer.Make(facts).SerializeToString(&bytes);
  PprofTotals totals = writer.totals();
  totals.written = is_made && WriteGzip(bytes, sink);
  return totals;
}

}  // namespace hindsight::analyzer
