#include "recorder/heap/value_rules.h"

#include <array>

#include "recorder/contract/text.h"

namespace hindsight::recorder {
namespace {

struct Rule {
  std::string_view type;
  std::string_view path;
};

// Counts, flags, periods and owners: numbers that say how many, how far and whose, never content.
constexpr std::array kAlways = {
    // Sizes of collections.
    Rule{"System.Collections.Generic.List`1", "_size"},
    Rule{"System.Collections.Generic.Dictionary`2", "_count"},
    Rule{"System.Collections.Generic.Dictionary`2", "_freeCount"},
    Rule{"System.Collections.Generic.HashSet`1", "_count"},
    Rule{"System.Collections.Generic.HashSet`1", "_freeCount"},
    Rule{"System.Collections.Generic.Queue`1", "_size"},
    Rule{"System.Collections.Generic.Stack`1", "_size"},
    Rule{"System.Collections.Generic.PriorityQueue`2", "_size"},
    Rule{"System.Collections.Generic.LinkedList`1", "count"},
    Rule{"System.Collections.Generic.SortedList`2", "_size"},
    Rule{"System.Collections.Generic.SortedSet`1", "count"},
    Rule{"System.Collections.Concurrent.ConcurrentDictionary`2+Tables", "_countPerLock"},
    Rule{"System.Collections.ArrayList", "_size"},
    Rule{"System.Collections.Hashtable", "_count"},
    Rule{"System.Collections.Queue", "_size"},
    Rule{"System.Collections.Stack", "_size"},
    Rule{"System.Text.StringBuilder", "m_ChunkLength"},
    Rule{"System.Text.StringBuilder", "m_ChunkOffset"},
    Rule{"System.IO.MemoryStream", "_length"},
    Rule{"System.IO.MemoryStream", "_capacity"},
    // How often a collection was changed: distinguishes one that only grows from a bounded one.
    Rule{"System.Collections.Generic.List`1", "_version"},
    Rule{"System.Collections.Generic.Dictionary`2", "_version"},
    Rule{"System.Collections.Generic.HashSet`1", "_version"},
    Rule{"System.Collections.Generic.Queue`1", "_version"},
    Rule{"System.Collections.Generic.Stack`1", "_version"},
    Rule{"System.Collections.Generic.LinkedList`1", "version"},
    Rule{"System.Collections.Generic.SortedSet`1", "version"},
    // When entries of a MemoryCache expire, and whether their number is limited.
    Rule{"Microsoft.Extensions.Caching.Memory.CacheEntry", "_absoluteExpirationTicks"},
    Rule{"Microsoft.Extensions.Caching.Memory.CacheEntry", "_slidingExpiration._ticks"},
    Rule{"Microsoft.Extensions.Caching.Memory.MemoryCacheOptions", "_sizeLimit"},
    // State of tasks and timers.
    Rule{"System.Threading.Tasks.Task", "m_taskId"},
    Rule{"System.Threading.Tasks.Task", "m_stateFlags"},
    Rule{"System.Threading.Tasks.Task+WhenAllPromise", "_remainingToComplete"},
    Rule{"System.Threading.Tasks.Task+WhenAllPromise`1", "_remainingToComplete"},
    Rule{"System.Threading.CancellationTokenSource", "_state"},
    Rule{"System.Threading.TimerQueueTimer", "_startTicks"},
    Rule{"System.Threading.TimerQueueTimer", "_dueTime"},
    Rule{"System.Threading.TimerQueueTimer", "_period"},
    Rule{"System.Threading.TimerQueueTimer", "_canceled"},
    // Owners of locks.
    Rule{"System.Threading.Lock", "_owningThreadId"},
    Rule{"System.Threading.Lock", "_state"},
    Rule{"System.Threading.Lock", "_recursionCount"},
    Rule{"System.Threading.SemaphoreSlim", "m_currentCount"},
    Rule{"System.Threading.SemaphoreSlim", "m_maxCount"},
    Rule{"System.Threading.SemaphoreSlim", "m_waitCount"},
    Rule{"System.Threading.SemaphoreSlim", "m_countOfWaitersPulsedToWake"},
    Rule{"System.Threading.ManualResetEventSlim", "m_combinedState"},
    Rule{"System.Threading.CountdownEvent", "_currentCount"},
    Rule{"System.Threading.CountdownEvent", "_initialCount"},
    Rule{"System.Threading.Barrier", "_currentTotalCount"},
    Rule{"System.Threading.ReaderWriterLockSlim", "_writeLockOwnerId"},
    Rule{"System.Threading.ReaderWriterLockSlim", "_upgradeLockOwnerId"},
    Rule{"System.Threading.ReaderWriterLockSlim", "_owners"},
    Rule{"System.Threading.ReaderWriterLockSlim", "_numReadWaiters"},
    Rule{"System.Threading.ReaderWriterLockSlim", "_numWriteWaiters"},
    Rule{"System.Threading.ReaderWriterLockSlim", "_numUpgradeWaiters"},
    Rule{"System.Threading.ReaderWriterLockSlim", "_numWriteUpgradeWaiters"},
    // Readers: each thread has a list of these, by lock number.
    Rule{"System.Threading.ReaderWriterLockSlim", "_lockID"},
    Rule{"System.Threading.ReaderWriterCount", "lockID"},
    Rule{"System.Threading.ReaderWriterCount", "readercount"},
    Rule{"System.Threading.ReaderWriterCount", "writercount"},
    Rule{"System.Threading.ReaderWriterCount", "upgradecount"},
    // The thread of a Thread object.
    Rule{"System.Threading.Thread", "_managedThreadId"},
    Rule{"System.Threading.Thread", "_DONT_USE_InternalThread"},
    Rule{"System.Threading.Thread", "_isDead"},
    Rule{"System.Threading.Thread", "_isThreadPool"},
    // Limits and load of the thread pool.
    Rule{"System.Threading.PortableThreadPool", "_minThreads"},
    Rule{"System.Threading.PortableThreadPool", "_maxThreads"},
    Rule{"System.Threading.PortableThreadPool", "_numBlockedThreads"},
    Rule{"System.Threading.PortableThreadPool", "_numThreadsAddedDueToBlocking"},
    Rule{"System.Threading.ThreadPoolWorkQueue+WorkStealingQueue", "m_headIndex"},
    Rule{"System.Threading.ThreadPoolWorkQueue+WorkStealingQueue", "m_tailIndex"},
    Rule{"System.Delegate", "_invocationCount"},
    Rule{"System.MulticastDelegate", "_invocationCount"},
};

// State of an async method, whatever its class: <>1__state, also inside a box.
constexpr std::string_view kState = "<>1__state";

// Names of threads are in every recording.
constexpr Rule kAlwaysText = {"System.Threading.Thread", "_name"};

// Tasks and delegates have derived classes; the fields keep their names.
constexpr std::array kInherited = {std::string_view("m_taskId"), std::string_view("m_stateFlags"),
                                   std::string_view("_invocationCount")};

}  // namespace

ValueRules::ValueRules(std::span<const std::string> allowed) {
  for (const std::string& pattern : allowed) {
    if (pattern == "System.String") {
      all_strings_ = true;
    } else {
      allowed_.push_back(pattern);
    }
  }
}

bool ValueRules::AllowsNumber(std::string_view type, std::string_view path) const {
  if (path == kState || path.ends_with(".<>1__state")) return true;
  for (const std::string_view inherited : kInherited) {
    if (path == inherited) return true;
  }
  for (const Rule& rule : kAlways) {
    if (rule.type == type && rule.path == path) return true;
  }
  return Named(type, path);
}

bool ValueRules::AllowsText(std::string_view type, std::string_view path) const {
  return (type == kAlwaysText.type && path == kAlwaysText.path) || Named(type, path);
}

bool ValueRules::Named(std::string_view type, std::string_view path) const {
  if (allowed_.empty()) return false;
  const std::string full = std::string(type) + "." + std::string(path);
  for (const std::string& pattern : allowed_) {
    if (contract::MatchesGlob(pattern, full)) return true;
  }
  return false;
}

}  // namespace hindsight::recorder
