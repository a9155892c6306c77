// What the sources need from the runtime's events: keywords of each provider, by level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

enum class EventProvider : uint8_t {
  kRuntime,
  kRuntimePrivate,
  kTasks,
  kHosting,
  kMetrics,
  kDiagnostics
};
// In that order.
inline constexpr std::array<const char16_t*, 6> kEventProviderNames = {
    u"Microsoft-Windows-DotNETRuntime",
    u"Microsoft-Windows-DotNETRuntimePrivate",
    u"System.Threading.Tasks.TplEventSource",
    u"Microsoft.AspNetCore.Hosting",
    u"System.Diagnostics.Metrics",
    u"Microsoft-Diagnostics-DiagnosticSource"};

// The runtime's numbers. kApart: in a session with arguments of its own (event_session.h).
// kCritical: in a session of its own that begins before all others.
enum class EventLevel : uint8_t {
  kApart = 0,
  kCritical = 1,
  kErrors = 2,
  kInformational = 4,
  kVerbose = 5
};
inline constexpr std::array<EventLevel, 3> kEventLevels = {
    EventLevel::kVerbose, EventLevel::kInformational, EventLevel::kErrors};

class EventPlan {
 public:
  void Add(EventProvider provider, EventLevel level, uint64_t keywords) {
    At(provider, level) |= keywords;
  }
  void Add(const EventPlan& other) {
    for (size_t i = 0; i < keywords_.size(); ++i) {
      for (size_t k = 0; k < keywords_[i].size(); ++k) keywords_[i][k] |= other.keywords_[i][k];
    }
  }

  // What a session of this level enables. An event is delivered once for each session that enables
  // it, so a keyword is in one only, the most verbose.
  uint64_t Keywords(EventProvider provider, EventLevel level) const {
    uint64_t above = 0;
    for (const EventLevel other : kEventLevels) {
      if (other > level) above |= At(provider, other);
    }
    return At(provider, level) & ~above;
  }

  EventPlan Without(EventProvider provider, uint64_t keywords) const {
    EventPlan rest = *this;
    for (uint64_t& at_level : rest.keywords_[static_cast<size_t>(provider)]) at_level &= ~keywords;
    return rest;
  }
  bool Has(EventProvider provider) const {
    return keywords_[static_cast<size_t>(provider)] != ByLevel();
  }
  // Whether there is one that needs a session of its own.
  bool HasApart() const { return Has(EventProvider::kMetrics) || Has(EventProvider::kDiagnostics); }
  bool empty() const { return *this == EventPlan(); }
  bool operator==(const EventPlan&) const = default;

 private:
  using ByLevel = std::array<uint64_t, static_cast<size_t>(EventLevel::kVerbose) + 1>;

  uint64_t& At(EventProvider provider, EventLevel level) {
    return keywords_[static_cast<size_t>(provider)][static_cast<size_t>(level)];
  }
  const uint64_t& At(EventProvider provider, EventLevel level) const {
    return keywords_[static_cast<size_t>(provider)][static_cast<size_t>(level)];
  }

  std::array<ByLevel, kEventProviderNames.size()> keywords_ = {};
};

}  // namespace hindsight::recorder
