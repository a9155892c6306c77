// Where System.Exception keeps its message, its inner exception and its stack trace.
//
// The profiling API provides field offsets (GetClassLayout) and field names (metadata), so nothing
// is assumed about a runtime's version. Read at the first exception, on the thread that throws it.
// The runtime may refuse: for a class that is not loaded completely yet (CORPROF_E_DATAINCOMPLETE),
// without memory, or for good, if a field has another name. So the query is repeated a few times,
// each time after four times as many exceptions.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/names/metadata_opener.h"

namespace hindsight::recorder {

class ExceptionLayout {
 public:
  // Takes the loader's lock.
  explicit ExceptionLayout(clr::ICorProfilerInfo10* info) : info_(info), metadata_(info) {}

  // Any thread, in a callback. False while another thread reads the layout, or when it could not be
  // read: then exceptions are recorded without message, cause and trace.
  bool Ready(clr::ClassID exception_class);

  // Valid until the callback returns: the objects may move afterwards.
  std::span<const char16_t> Message(clr::ObjectID exception) const;
  clr::ObjectID InnerException(clr::ObjectID exception) const;
  bool HasStackTrace(clr::ObjectID exception) const;

 private:
  enum class State : uint8_t { kUnread, kReading, kReady };
  static constexpr uint32_t kLastAttempt = 1u << 14;  // the eighth

  bool Read(clr::ClassID exception_class);

  clr::ICorProfilerInfo10* info_;
  const MetadataOpener metadata_;
  std::atomic<State> state_{State::kUnread};
  std::atomic<uint32_t> asked_{0};                      // times that it was not ready
  uint32_t message_ = 0, inner_ = 0, stack_trace_ = 0;  // offsets in an exception
  uint32_t string_length_ = 0, string_characters_ = 0;  // offsets in a string
};

}  // namespace hindsight::recorder
