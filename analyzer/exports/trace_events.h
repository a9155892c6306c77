// Events of the JSON trace format, one by one. Times are nanoseconds; the file has microseconds.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/json_stream.h"

namespace hindsight::analyzer {

// A detail of an event: a text, or a number.
struct TraceArgument {
  TraceArgument(std::string_view name, std::string_view text) : name(name), text(text) {}
  TraceArgument(std::string_view name, uint64_t number)
      : name(name), number(number), is_number(true) {}

  std::string_view name;
  std::string_view text;  // empty: the argument is omitted, unless it is a number
  uint64_t number = 0;
  bool is_number = false;
};
using TraceArguments = std::initializer_list<TraceArgument>;

class TraceEvents {
 public:
  // Begins the list. `sink` must outlive this.
  TraceEvents(uint32_t process, const ByteSink& sink);

  void ProcessName(std::string_view name);
  void ThreadName(uint64_t thread, std::string_view name, uint64_t place);
  void Slice(uint64_t thread, std::string_view category, std::string_view name, int64_t from_ns,
             int64_t to_ns, TraceArguments arguments = {});
  void Instant(uint64_t thread, std::string_view category, std::string_view name, int64_t at_ns,
               TraceArguments arguments = {});
  void Counter(std::string_view name, int64_t at_ns, TraceArguments series);
  // Ends the list. Returns whether everything was written.
  bool Finish(std::string_view creator, std::string_view title);

 private:
  void Begin(std::string_view phase, std::string_view category, std::string_view name,
             uint64_t thread);
  void Time(std::string_view key, int64_t ns);
  void Arguments(TraceArguments arguments);

  const uint32_t process_;
  JsonStream out_;
  bool is_first_ = true;
};

}  // namespace hindsight::analyzer
