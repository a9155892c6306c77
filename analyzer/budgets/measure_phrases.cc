#include "analyzer/budgets/measure_phrases.h"

#include <algorithm>
#include <numeric>

namespace hindsight::analyzer {
namespace {

constexpr size_t kLongestWord = 128;  // compared by letters

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// In lower case, one blank between words.
std::string Normal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += Lower(c);
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The number of letters to insert, delete or change.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (Lower(a[i]) == Lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const MeasurePhrase> MeasurePhrases() {
  static const std::vector<MeasurePhrase> kPhrases = {
      {"critical findings", "", {"findings.critical"}},
      {"warnings", "", {"findings.warning"}},
      {"findings", "kind", {"findings.count"}},
      {"differences worse", "", {"differences.worse"}},
      {"differences worse", "signal", {"differences.worse"}},
      {"differences", "", {"differences.count"}},

      {"deadlocks", "", {"deadlocks.count"}},
      {"unfinished tasks", "", {"tasks.unfinished"}},
      {"stuck tasks", "", {"tasks.stuck"}},
      {"waiting tasks", "method", {"tasks.chains"}},
      {"threads", "", {"threads.peak"}},
      {"leaked threads", "", {"threads.leaked"}},
      {"dead threads", "", {"threads.dead"}},
      {"pool starvation", "", {"pool.stalled"}},
      {"pool queue", "", {"pool.queue.peak"}},

      {"exceptions", "", {"exceptions.count", "exceptions.per_second"}},
      {"exceptions", "type", {"exceptions.count", "exceptions.per_second"}},
      {"exceptions", "method", {"exceptions.count", "exceptions.per_second"}},
      {"exceptions/s", "", {"exceptions.per_second"}},
      {"exceptions/s", "type", {"exceptions.per_second"}},
      {"exceptions/s", "method", {"exceptions.per_second"}},
      {"unhandled exceptions", "", {"exceptions.unhandled"}},
      {"swallowed exceptions", "", {"exceptions.swallowed"}},
      {"swallowed exceptions", "type", {"exceptions.swallowed"}},

      {"heap", "", {"heap.bytes"}},
      {"objects", "", {"heap.objects"}},
      {"retained", "type", {"heap.retained"}},
      {"size", "type", {"heap.bytes"}},
      {"objects", "type", {"heap.objects"}},
      {"leaks", "", {"leaks.count"}},

      {"gc pause", "", {"gc.pause.max", "gc.pause.share"}},
      {"p50 gc pause", "", {"gc.pause.p50"}},
      {"median gc pause", "", {"gc.pause.p50"}},
      {"p90 gc pause", "", {"gc.pause.p90"}},
      {"p99 gc pause", "", {"gc.pause.p99"}},
      {"longest gc pause", "", {"gc.pause.max"}},
      {"max gc pause", "", {"gc.pause.max"}},
      {"time in gc", "", {"gc.pause.share", "gc.pause.total"}},
      {"collections", "", {"gc.collections"}},
      {"full collections", "", {"gc.collections.gen2"}},
      {"longest pause", "", {"pauses.max"}},
      {"p99 pause", "", {"pauses.p99"}},
      {"time in pauses", "", {"pauses.share", "pauses.total"}},

      {"cpu", "", {"cpu.cores", "cpu.time"}},
      {"cpu", "method", {"cpu.cores", "cpu.share", "cpu.time"}},
      {"self cpu", "method", {"cpu.self.cores", "cpu.self.share", "cpu.self.time"}},
      {"cpu", "thread", {"cpu.cores", "cpu.share"}},
      {"allocations", "", {"allocations.bytes_per_second", "allocations.bytes"}},
      {"allocations",
       "type",
       {"allocations.bytes_per_second", "allocations.share", "allocations.bytes"}},
      {"allocations",
       "method",
       {"allocations.bytes_per_second", "allocations.share", "allocations.bytes"}},

      {"lock waits", "", {"locks.waits", "locks.waits_per_second", "locks.wait_time"}},
      {"lock waits/s", "", {"locks.waits_per_second"}},
      {"lock waits", "method", {"locks.waits", "locks.waits_per_second", "locks.wait_time"}},
      {"longest lock wait", "", {"locks.longest"}},
      {"longest lock wait", "method", {"locks.longest"}},

      {"requests", "", {"requests.count", "requests.per_second"}},
      {"requests/s", "", {"requests.per_second"}},
      {"failed requests", "", {"requests.failed", "requests.failed.share"}},
      {"server errors", "", {"requests.server_errors", "requests.server_errors.share"}},
      {"mean request", "", {"requests.time.mean"}},
      {"requests", "route", {"requests.count"}},
      {"failed requests", "route", {"requests.failed", "requests.failed.share"}},
      {"mean request", "route", {"requests.time.mean"}},
      {"p95 request", "route", {"requests.time.p95"}},
      {"p99 request", "route", {"requests.time.p99"}},
      {"failed calls", "server", {"calls.failed", "calls.failed.share"}},
      {"p95 call", "server", {"calls.time.p95"}},
      {"p99 call", "server", {"calls.time.p99"}},

      {"losses", "", {"recording.losses"}},
      {"recorder cpu", "", {"recorder.cores"}},
  };
  return kPhrases;
}

std::vector<const MeasureKind*> KindsCalled(std::string_view words, std::string_view subject) {
  const std::string wanted = Normal(words);
  if (const MeasureKind* const kind = FindMeasureKind(wanted, subject)) return {kind};
  std::vector<const MeasureKind*> kinds;
  for (const MeasurePhrase& phrase : MeasurePhrases()) {
    if (phrase.phrase != wanted || phrase.subject != subject) continue;
    for (const std::string_view name : phrase.names) {
      kinds.push_back(FindMeasureKind(name, subject));
    }
  }
  return kinds;
}

std::string NearestCall(std::string_view words, std::string_view subject) {
  // Those with this subject come first, because the first of equally similar ones is taken.
  std::vector<std::string> same, others;
  const auto add = [&](std::string_view call, std::string_view of) {
    std::string text(call);
    if (!of.empty()) text.append(" of ").append(of);
    (of == subject ? same : others).push_back(std::move(text));
  };
  for (const MeasurePhrase& phrase : MeasurePhrases()) add(phrase.phrase, phrase.subject);
  for (const MeasureKind& kind : MeasureKinds()) add(kind.name, kind.subject);
  same.insert(same.end(), others.begin(), others.end());
  std::string wanted = Normal(words.substr(0, kLongestWord));
  if (!subject.empty()) wanted.append(" of ").append(subject);
  return Nearest(wanted, same);
}

std::vector<std::string_view> SubjectKinds() {
  std::vector<std::string_view> kinds;
  for (const MeasureKind& kind : MeasureKinds()) {
    if (kind.subject.empty()) continue;
    if (std::find(kinds.begin(), kinds.end(), kind.subject) == kinds.end()) {
      kinds.push_back(kind.subject);
    }
  }
  return kinds;
}

std::string Nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestWord) return "";
  std::string nearest;
  size_t least = word.size() / 3 + 2;  // this many letters may be wrong, minus one
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 2 * kLongestWord) continue;
    const size_t distance = Distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace hindsight::analyzer
