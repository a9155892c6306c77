// What an UnwindStep means on arm64, where calls leave the return address in a register, x30.
//
// `bp_words` says where the function has saved it: that many words below the CFA is its frame
// record, the caller's x29 and the return address. With kLinkAlone, only the return address is
// there, and x29 is unchanged. 0: it is still in x30. So `words` may be 0, too.
#pragma once

#include <cstdint>

#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

inline constexpr uint32_t kLinkAlone = 1u << 12;
inline constexpr uint32_t kMaxRecordWords = kLinkAlone - 1;
static_assert((kLinkAlone | kMaxRecordWords) == UnwindStep::kMaxBpWords);

}  // namespace hindsight::recorder
