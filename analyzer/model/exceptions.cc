#include "analyzer/model/exceptions.h"

#include <algorithm>

namespace hindsight::analyzer {

void ExceptionGroup::KeepText(size_t entry, std::string_view text) {
  if (message_texts.size() <= entry) message_texts.resize(entry + 1);
  message_texts[entry] = text.substr(0, kMaxMessageBytes);
}

void ExceptionGroup::AddMessage(uint64_t hash, std::string_view text) {
  const auto added = messages.Add(hash);
  if (added.is_new) KeepText(added.index, text);
}

void ExceptionGroup::Merge(const ExceptionGroup& other) {
  first_ns = count == 0 ? other.first_ns : std::min(first_ns, other.first_ns);
  last_ns = count == 0 ? other.last_ns : std::max(last_ns, other.last_ns);
  count += other.count;
  for (size_t i = 0; i < kHopCount; ++i) throws[i] += other.throws[i];
  for (size_t i = 0; i < kEndingCount; ++i) endings[i] += other.endings[i];
  inferred_hops += other.inferred_hops;
  truncated_stacks += other.truncated_stacks;
  finally_blocks += other.finally_blocks;
  filters += other.filters;
  counted.Add(other.counted);
  times.Merge(other.times);
  durations.Merge(other.durations);
  total_ns += other.total_ns;
  for (size_t i = 0; i < other.messages.entries().size(); ++i) {
    const auto added = messages.AddEntry(other.messages.entries()[i], other.messages.exact());
    if (added.is_new) KeepText(added.index, other.message_texts[i]);
  }
  threads.Merge(other.threads);
  places.Merge(other.places);
  handlers.Merge(other.handlers);
  swallowers.Merge(other.swallowers);
  routes.Merge(other.routes);
  causes.Merge(other.causes);
  wrappers.Merge(other.wrappers);
  replacers.Merge(other.replacers);
  thrown_during.Merge(other.thrown_during);
}

}  // namespace hindsight::analyzer
