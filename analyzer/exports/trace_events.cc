#include "analyzer/exports/trace_events.h"

namespace hindsight::analyzer {

TraceEvents::TraceEvents(uint32_t process, const ByteSink& sink) : process_(process), out_(sink) {
  out_.Raw("{\"displayTimeUnit\":\"ms\",\n\"traceEvents\":[");
}

void TraceEvents::Begin(std::string_view phase, std::string_view category, std::string_view name,
                        uint64_t thread) {
  out_.Raw(is_first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
  is_first_ = false;
  out_.Raw(phase);
  out_.Raw("\",\"cat\":\"");
  out_.Raw(category);
  out_.Raw("\",\"name\":");
  out_.Text(name);
  out_.Raw(",\"pid\":");
  out_.Number(process_);
  out_.Raw(",\"tid\":");
  out_.Number(thread);
}

void TraceEvents::Time(std::string_view key, int64_t ns) {
  out_.Raw(",\"");
  out_.Raw(key);
  out_.Raw(ns < 0 ? "\":-" : "\":");
  const uint64_t size =
      ns < 0 ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  out_.Number(size / 1000);
  const auto rest = static_cast<uint32_t>(size % 1000);
  if (rest == 0) return;
  const char digits[] = {'.', static_cast<char>('0' + rest / 100),
                         static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10)};
  out_.Raw({digits, sizeof(digits)});
}

void TraceEvents::Arguments(TraceArguments arguments) {
  out_.Raw(",\"args\":{");
  bool is_first = true;
  for (const TraceArgument& argument : arguments) {
    if (!argument.is_number && argument.text.empty()) continue;
    if (!is_first) out_.Raw(",");
    is_first = false;
    out_.Text(argument.name);
    out_.Raw(":");
    if (argument.is_number) {
      out_.Number(argument.number);
    } else {
      out_.Text(argument.text);
    }
  }
  out_.Raw("}}");
}

void TraceEvents::ProcessName(std::string_view name) {
  Begin("M", "__metadata", "process_name", process_);
  Time("ts", 0);
  Arguments({{"name", name}});
}

void TraceEvents::ThreadName(uint64_t thread, std::string_view name, uint64_t place) {
  Begin("M", "__metadata", "thread_name", thread);
  Time("ts", 0);
  Arguments({{"name", name}});
  Begin("M", "__metadata", "thread_sort_index", thread);
  Time("ts", 0);
  Arguments({{"sort_index", place}});
}

void TraceEvents::Slice(uint64_t thread, std::string_view category, std::string_view name,
                        int64_t from_ns, int64_t to_ns, TraceArguments arguments) {
  Begin("X", category, name, thread);
  Time("ts", from_ns);
  Time("dur", to_ns - from_ns);
  Arguments(arguments);
}

void TraceEvents::Instant(uint64_t thread, std::string_view category, std::string_view name,
                          int64_t at_ns, TraceArguments arguments) {
  Begin("i", category, name, thread);
  Time("ts", at_ns);
  out_.Raw(",\"s\":\"t\"");
  Arguments(arguments);
}

void TraceEvents::Counter(std::string_view name, int64_t at_ns, TraceArguments series) {
  Begin("C", "counter", name, process_);
  Time("ts", at_ns);
  Arguments(series);
}

bool TraceEvents::Finish(std::string_view creator, std::string_view title) {
  out_.Raw("],\n\"otherData\":{\"creator\":");
  out_.Text(creator);
  out_.Raw(",\"title\":");
  out_.Text(title);
  out_.Raw("}}\n");
  return out_.Finish();
}

}  // namespace hindsight::analyzer
