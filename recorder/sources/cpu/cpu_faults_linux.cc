#include "recorder/sources/cpu/cpu_faults.h"

#include <signal.h>

#include <string_view>

#include "recorder/base/forked_copy.h"
#include "recorder/base/thread_run.h"

namespace hindsight::recorder {
namespace {

std::atomic<int> g_held_back{0};

bool HasSameHandler(const struct sigaction& one, const struct sigaction& other) {
  return one.sa_flags == other.sa_flags && one.sa_sigaction == other.sa_sigaction;
}

// Takes `former` out of the action's mask and puts `signal` in, if its handler runs on the
// alternate stack. False: there is nothing to change.
bool Amend(struct sigaction& action, int former, int signal) {
  bool changes = false;
  if (former != 0 && former != signal && sigismember(&action.sa_mask, former) == 1) {
    sigdelset(&action.sa_mask, former);
    changes = true;
  }
  const bool on_alternate_stack = (action.sa_flags & SA_ONSTACK) != 0;
  if (signal != 0 && on_alternate_stack && sigismember(&action.sa_mask, signal) != 1) {
    sigaddset(&action.sa_mask, signal);
    changes = true;
  }
  return changes;
}

// Unblocks the signal. False: it was not blocked. It stays blocked if the thread blocks other
// real-time signals too: that is what the application wants.
bool LetIn(int signal) {
  sigset_t now, ours;
  if (pthread_sigmask(SIG_BLOCK, nullptr, &now) != 0 || sigismember(&now, signal) != 1) {
    return false;
  }
  uint64_t blocked = 0;
  for (int one = SIGRTMIN; one <= SIGRTMAX; ++one) {
    if (sigismember(&now, one) == 1) blocked |= SignalBit(one);
  }
  if (!IsAlone(signal, blocked)) return false;
  sigemptyset(&ours);
  sigaddset(&ours, signal);
  return pthread_sigmask(SIG_UNBLOCK, &ours, nullptr) == 0;
}

}  // namespace

void CpuFaults::HoldBack(int signal) {
  constexpr int kAttempts = 3;
  const int former = g_held_back.exchange(signal);
  for (int i = 0; i < kAttempts; ++i) {
    struct sigaction seen, wanted, replaced;
    if (sigaction(SIGSEGV, nullptr, &seen) != 0) return;
    wanted = seen;
    if (!Amend(wanted, former, signal)) return;
    if (sigaction(SIGSEGV, &wanted, &replaced) != 0 || HasSameHandler(seen, replaced)) return;
    sigaction(SIGSEGV, &replaced, nullptr);  // installed in between
  }
}

bool CpuFaults::Thrown(clr::ObjectID exception) {
  const int signal = g_held_back.load(std::memory_order_relaxed);
  if (signal == 0 || ForkedCopy::Is()) return false;
  clr::ClassID type = 0;
  info_->GetClassFromObject(exception, &type);
  return MayComeFromFault(type) && LetIn(signal);
}

// Other faults become exceptions that cannot be caught, or are not signals on the alternate stack.
bool CpuFaults::MayComeFromFault(clr::ClassID type) {
  if (type == 0 || type == null_reference_.load(std::memory_order_relaxed)) return true;
  auto& place = others_[(type * 0x9e3779b97f4a7c15u) >> 54];
  if (place.load(std::memory_order_relaxed) == type) return false;
  const std::optional<bool> is_null_reference = IsNullReference(type);
  if (!is_null_reference) return true;
  (*is_null_reference ? null_reference_ : place).store(type, std::memory_order_relaxed);
  return *is_null_reference;
}

std::optional<bool> CpuFaults::IsNullReference(clr::ClassID type) const {
  clr::ModuleID module = 0;
  clr::mdTypeDef token = 0;
  if (clr::Failed(info_->GetClassIDInfo(type, &module, &token))) return std::nullopt;
  const MetadataOpener::Metadata metadata = metadata_.Open(module);
  if (!metadata) return std::nullopt;
  constexpr std::u16string_view kName = u"System.NullReferenceException";
  char16_t name[kName.size() + 1];
  uint32_t length = 0;  // of the whole name, with a NUL
  const bool is_named = clr::Succeeded(
      metadata->GetTypeDefProps(token, name, kName.size() + 1, &length, nullptr, nullptr));
  if (!is_named) return std::nullopt;
  return length == kName.size() + 1 && std::u16string_view(name, kName.size()) == kName;
}

}  // namespace hindsight::recorder
