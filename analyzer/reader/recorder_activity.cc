#include "analyzer/reader/recorder_activity.h"

#include <algorithm>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

void AddCapped(uint64_t& sum, uint64_t value) { sum += std::min(value, UINT64_MAX - sum); }

}  // namespace

bool RecorderActivity::Takes(const Packet& packet) {
  switch (packet.data_case()) {
    case Packet::kThread:
      if (!packet.thread().is_recorder() || threads_.size() == kMaxThreads) return false;
      threads_.insert(packet.thread().id());
      return true;
    case Packet::kGarbageCollection:
      if (!packet.garbage_collection().by_recorder()) return false;
      ++collections_;
      return true;
    case Packet::kSuspension:
      if (!packet.suspension().by_recorder()) return false;
      ++pauses_;
      AddCapped(pause_ns_, packet.suspension().total_ns());
      return true;
    case Packet::kLockWait:
      if (threads_.contains(packet.lock_wait().thread())) return true;
      if (!threads_.contains(packet.lock_wait().owner())) return false;
      ++waits_;
      AddCapped(wait_ns_, packet.lock_wait().duration_ns());
      return true;
    case Packet::kThreadLifetime:
      return threads_.contains(packet.thread_lifetime().thread());
    case Packet::kThreadState:
      return threads_.contains(packet.thread_state().thread());
    default:
      return false;
  }
}

std::string RecorderActivity::Sentence() const {
  std::string parts;
  const auto add = [&parts](const std::string& part) {
    if (!parts.empty()) parts += ", ";
    parts += part;
  };
  if (collections_ != 0) add(Plural(collections_, "collection"));
  if (pauses_ != 0) add(Plural(pauses_, "pause") + " (" + FormatDuration(pause_ns_) + " in total)");
  if (waits_ != 0) {
    add(Plural(waits_, "wait") + " for one of its threads (" + FormatDuration(wait_ns_) +
        " in total)");
  }
  if (samples_ != 0) add(Plural(samples_, "sample") + " of CPU time and allocations");
  if (parts.empty()) return parts;
  return "Caused by the recorder, and excluded from all numbers: " + parts + ".";
}

}  // namespace hindsight::analyzer
