#include "recorder/heap/gc_mask.h"

#include <algorithm>
#include <span>
#include <vector>

#include "recorder/base/runtime_library.h"

namespace hindsight::recorder {
namespace {

uint64_t WordOf(clr::EventMask mask) { return uint64_t{mask.high} << 32 | mask.low; }

uint64_t Load(const uint32_t* at) {
  const auto* words = reinterpret_cast<const volatile uint32_t*>(at);
  return uint64_t{words[1]} << 32 | words[0];
}

}  // namespace

bool GcMask::Prepare(clr::ICorProfilerInfo10* info, clr::EventMask mask,
                     contract::RootsChoice choice, std::string* why) {
  info_ = info;
  mask_ = mask;
  way_ = Way::kNone;
  if (choice != contract::RootsChoice::kDocumented) {
    if (Calibrate(info)) {
      way_ = Way::kCalibrated;
    } else {
      *why = "The runtime's event mask was not found in memory as expected.";
    }
  }
  if (way_ == Way::kNone && choice != contract::RootsChoice::kCalibrated) {
    const clr::EventMask with = mask | clr::kMonitorGc;
    if (clr::Succeeded(info->SetEventMask2(with.low, with.high))) {
      way_ = Way::kDocumented;
      return true;
    }
  }
  return clr::Succeeded(info->SetEventMask2(mask.low, mask.high));
}

void GcMask::Settle() {
  const std::lock_guard lock(mutex_);
  if (way_ == Way::kDocumented) info_->SetEventMask2(mask_.low, mask_.high);
}

bool GcMask::PrepareLate(clr::ICorProfilerInfo10* info, clr::EventMask mask, std::string* why) {
  info_ = info;
  mask_ = mask;
  way_ = Way::kNone;
  if (clr::Failed(info->SetEventMask2(mask.low, mask.high))) return false;
  const clr::EventMask with = mask | clr::kMonitorAppDomainLoads;
  const clr::EventMask masks[] = {with, mask, with, mask};
  const bool found = FindWords(info, masks);
  if (clr::Failed(info->SetEventMask2(mask.low, mask.high))) return false;
  if (!found) {
    *why = "The runtime's event mask was not found in memory as expected.";
    return false;
  }
  way_ = Way::kCalibrated;
  return true;
}

bool GcMask::Calibrate(clr::ICorProfilerInfo10* info) {
  // Combinations that are unlikely to occur anywhere else.
  constexpr clr::EventMask kFirst = clr::kMonitorModuleLoads | clr::kMonitorThreads |
                                    clr::kMonitorSuspends | clr::kMonitorDynamicFunctionUnloads |
                                    clr::kBasicGc;
  constexpr clr::EventMask kSecond =
      clr::kMonitorExceptions | clr::kMonitorModuleLoads | clr::kMonitorDynamicFunctionUnloads;
  constexpr clr::EventMask kMasks[] = {kFirst, kSecond, {}, kFirst, {}};
  return FindWords(info, kMasks);
}

// Finds the words that contain each of the masks while it is set.
bool GcMask::FindWords(clr::ICorProfilerInfo10* info, std::span<const clr::EventMask> masks) {
  const std::vector<std::span<const uint32_t>> data = RuntimeData();
  std::vector<const uint32_t*> hits;
  const clr::EventMask first = masks.front();
  if (clr::Failed(info->SetEventMask2(first.low, first.high))) return false;
  for (const auto& segment : data) {
    for (size_t i = 0; i + 1 < segment.size(); ++i) {
      if (Load(&segment[i]) == WordOf(first)) hits.push_back(&segment[i]);
    }
  }
  for (const clr::EventMask mask : masks.subspan(1)) {
    if (clr::Failed(info->SetEventMask2(mask.low, mask.high))) return false;
    std::erase_if(hits, [mask](const uint32_t* at) { return Load(at) != WordOf(mask); });
  }
  if (hits.size() != kExpectedWords) return false;
  for (size_t i = 0; i < hits.size(); ++i) {
    if (reinterpret_cast<uintptr_t>(hits[i]) % sizeof(Word) != 0) return false;
    words_[i] = reinterpret_cast<Word*>(const_cast<uint32_t*>(hits[i]));
  }
  return true;
}

void GcMask::Drop(clr::EventMask callbacks) {
  const std::lock_guard lock(mutex_);
  mask_ = mask_.Without(callbacks);
  if (way_ == Way::kCalibrated) {
    // The runtime could refuse a mask with the flag that is on during a snapshot's collection.
    for (Word* word : words_) std::atomic_ref<Word>(*word).fetch_and(~WordOf(callbacks));
    return;
  }
  const clr::EventMask mask = on_ ? mask_ | clr::kMonitorGc : mask_;
  info_->SetEventMask2(mask.low, mask.high);
}

bool GcMask::IsGcConcurrent() {
  const std::lock_guard lock(mutex_);
  if (way_ != Way::kCalibrated) return false;
  const clr::EventMask with = mask_ | clr::kMonitorGc;
  const clr::HRESULT set = info_->SetEventMask2(with.low, with.high);
  if (clr::Succeeded(set)) info_->SetEventMask2(mask_.low, mask_.high);
  return set == clr::CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE;
}

bool GcMask::On() {
  const std::lock_guard lock(mutex_);
  const clr::EventMask with = mask_ | clr::kMonitorGc;
  if (way_ == Way::kDocumented) {
    on_ = clr::Succeeded(info_->SetEventMask2(with.low, with.high));
    return on_;
  }
  if (way_ != Way::kCalibrated) return false;
  // Both are checked before either is changed: a recorder that is stopping has set other masks.
  for (Word* word : words_) {
    if (std::atomic_ref<Word>(*word).load() != WordOf(mask_)) return false;
  }
  for (Word* word : words_) std::atomic_ref<Word>(*word).fetch_or(WordOf(clr::kMonitorGc));
  return true;
}

void GcMask::Off() {
  const std::lock_guard lock(mutex_);
  on_ = false;
  if (way_ == Way::kDocumented) {
    info_->SetEventMask2(mask_.low, mask_.high);
    return;
  }
  for (Word* word : words_) std::atomic_ref<Word>(*word).fetch_and(~WordOf(clr::kMonitorGc));
}

}  // namespace hindsight::recorder
