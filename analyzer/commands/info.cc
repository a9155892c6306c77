// `hindsight info`: what was recorded, of which process, at what cost.
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/options.h"
#include "analyzer/commands/recording_summary.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/recorder_cost.h"
#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

struct InfoOptions {
  std::vector<std::string> paths;
  bool json = false;
};

template <typename Texts>
std::string Join(const Texts& texts) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += " ";
    joined += Printable(text);
  }
  return joined;
}

template <typename Texts>
std::string JoinOr(const Texts& texts, const char* none) {
  return texts.empty() ? none : Join(texts);
}

std::string ModeName(Process::Mode mode) {
  switch (mode) {
    case Process::STARTUP:
      return "from process start";
    case Process::ATTACH:
      return "attached to a running process";
    default:
      return "unknown";
  }
}

std::string Limits(const Process& process) {
  std::string text = Plural(process.cpus(), "CPU") + ", " +
                     FormatBytes(process.physical_memory_bytes()) + " memory";
  if (process.cgroup_cpu_limit() > 0 || process.cgroup_memory_limit_bytes() > 0) {
    text += "; container limits:";
    if (process.cgroup_cpu_limit() > 0) {
      text += " " + FormatPercent(process.cgroup_cpu_limit()) + " of a CPU";
    }
    if (process.cgroup_memory_limit_bytes() > 0) {
      text += " " + FormatBytes(process.cgroup_memory_limit_bytes());
    }
  }
  return text;
}

// "out of Shop-7-....hindsight (0123456789abcdef), 1 m 00 s to its end".
std::string CutText(const Cut& cut) {
  return "out of " + Printable(cut.name()) + " (id " + FormatHex(cut.recording_id()) + "), from " +
         FormatDuration(cut.from_ns()) + " to " +
         (cut.to_ns() == 0 ? "its end" : FormatDuration(cut.to_ns()));
}

void AddProcess(const Process& process, AlignedRows& rows) {
  rows.Add("application", Printable(process.application()) + ", pid " +
                              std::to_string(process.pid()) + " on " + Printable(process.host()));
  rows.Add("command line", Join(process.command_line()));
  rows.Add("runtime", ".NET " + Printable(process.runtime_version()) + ", " +
                          Printable(process.architecture()) + ", " + Printable(process.os()));
  rows.Add("machine", Limits(process));
  if (process.started_unix_ns() != 0) {
    rows.Add("process started", FormatUnixTime(process.started_unix_ns()));
  }
  rows.Add("recorded",
           ModeName(process.mode()) + ", by recorder " + Printable(process.recorder_version()));
  if (process.has_cut()) rows.Add("cut", CutText(process.cut()));
  rows.Add("sources", JoinOr(process.source(), "none"));
  rows.Add("options", process.options().empty() ? "the defaults" : Printable(process.options()));
  rows.Add("user data", JoinOr(process.user_data(), "none"));
  rows.Add("environment",
           Plural(static_cast<uint64_t>(process.environment_name_size()), "variable name") +
               " (see --json), no values");
}

std::string End(const RecordingSummary& summary, const Integrity& integrity) {
  if (summary.end) return Describe(summary.end->reason());
  return integrity.closed_in_order ? "cleanly"
                                   : "abruptly: the process was killed, the recording is still "
                                     "running, or the last files are missing";
}

// ", half below 1.5 us, 99 % below 3 us", as exactly as the histogram's buckets are.
std::string HandlerQuantiles(const RecorderCost& cost) {
  constexpr uint64_t kBucketNs = 250;
  double total = 0;
  for (const uint64_t count : cost.cpu_handler_histogram()) total += static_cast<double>(count);
  if (total == 0) return "";
  const auto below = [&](double share) -> std::string {
    double sum = 0;
    int bucket = 0;
    const int last = cost.cpu_handler_histogram_size() - 1;
    while (bucket < last &&
           sum + static_cast<double>(cost.cpu_handler_histogram(bucket)) < share * total) {
      sum += static_cast<double>(cost.cpu_handler_histogram(bucket++));
    }
    const auto bound = static_cast<uint64_t>(bucket);
    return bucket == last ? "above " + FormatDuration(bound * kBucketNs)
                          : "below " + FormatDuration((bound + 1) * kBucketNs);
  };
  return ", half " + below(0.5) + ", 99 % " + below(0.99);
}

void AddCost(const RecordingSummary& summary, AlignedRows& rows) {
  if (!summary.cost) {
    rows.Add("recorder cost", "not recorded");
    return;
  }
  const RecorderCost& cost = *summary.cost;
  const std::optional<double> cores = CoresUsed(summary);
  std::string text =
      cores ? FormatPercent(*cores) + " of a core over " + FormatDuration(summary.cost_elapsed_ns)
            : "share of a core unknown";
  const CostParts parts = CostPartsOf(cost);
  const std::string_view kind = parts.is_cpu_time ? " CPU time" : " wall time";
  text += "\n" + FormatDuration(parts.application_cpu_ns);
  text += kind;
  text += " on the application's threads, in " + Plural(cost.callbacks(), "callback");
  if (cost.callbacks() > 0) {
    const uint64_t ns = parts.is_cpu_time ? cost.callback_cpu_ns() : cost.callback_ns();
    text += " (" + FormatDuration(ns / cost.callbacks()) + " each)";
  }
  if (cost.cpu_samples() > 0) text += " and " + Plural(cost.cpu_samples(), "CPU sample");
  text += "\n" + FormatDuration(parts.own_cpu_ns) + " CPU time of its own threads";
  if (parts.is_cpu_time) {
    text += "\n" + FormatDuration(parts.waited_ns + parts.paused_ns) +
            " of waiting by the application: " + FormatDuration(parts.paused_ns) +
            " in pauses for snapshots, " + FormatDuration(parts.waited_ns) +
            " descheduled in callbacks";
  }
  text += "\n" + FormatBytes(cost.memory_bytes()) + " memory, " +
          FormatBytes(cost.written_bytes()) + " written, " + Plural(cost.events(), "event");
  if (cost.stacks_fast() + cost.stacks_exact() > 0) {
    text += "\nstacks: " + FormatCount(cost.stacks_fast()) + " by learned unwind rules, " +
            FormatCount(cost.stacks_exact()) + " by the runtime; " +
            FormatCount(cost.stacks_verified()) + " compared, " +
            FormatCount(cost.stacks_mismatched()) + " differed";
  }
  if (cost.cpu_samples() > 0) {
    text += "\nCPU samples: " + FormatCount(cost.cpu_samples()) + " in " +
            FormatDuration(cost.cpu_handler_ns()) + " (" +
            FormatDuration(cost.cpu_handler_ns() / cost.cpu_samples()) + " each" +
            HandlerQuantiles(cost) + ")";
  }
  rows.Add("recorder cost", std::move(text));
}

std::string Requests(const analyzer::Requests& requests) {
  std::string text = FormatCount(requests.finished) + " served";
  if (requests.finished > 0) {
    text += ", " + FormatDuration(requests.total_ns / requests.finished) + " each on average";
  }
  text += "; " + FormatCount(requests.failed) + " failed with an exception";
  if (requests.started > requests.finished) {
    text += "; " + FormatCount(requests.started - requests.finished) + " in flight";
  }
  return text;
}

std::string Losses(const RecordingSummary& summary) {
  std::string text;
  for (const auto& [cause, count] : summary.lost_events) {
    if (!text.empty()) text += "\n";
    text += Plural(count, "event") + ": " + Describe(cause);
  }
  return text.empty() ? "none" : text;
}

// What is not intact though no byte of the files is missing, before what is missing there.
std::string IntegrityText(const RecordingSummary& summary, const Integrity& integrity) {
  std::string text;
  if (const uint64_t dropped = DroppedEvents(summary); dropped > 0) {
    text = Plural(dropped, "event") + " dropped: counts are lower bounds";
  }
  if (const std::string loss = LossSentence(integrity); !loss.empty()) {
    text += (text.empty() ? "" : "\n") + loss;
  }
  if (!text.empty()) return text;
  return summary.counted.any() ? "complete counts, some details missing" : "intact";
}

std::string Notes(const RecordingSummary& summary) {
  std::string text;
  for (const std::string& note : summary.notes) {
    if (!text.empty()) text += "\n";
    text += Printable(note);
  }
  if (summary.note_count > summary.notes.size()) {
    text += "\nand " + FormatCount(summary.note_count - summary.notes.size()) + " more";
  }
  return text.empty() ? "none" : text;
}

std::string Snapshots(std::span<const HeapFacts> heaps) {
  std::string text;
  for (const HeapFacts& heap : heaps) {
    if (!text.empty()) text += "\n";
    text += std::to_string(heap.number) + "  " +
            (heap.unix_ns != 0 ? FormatUnixTime(heap.unix_ns) : "at an unknown time") + "  " +
            HeapFactsLine(heap);
  }
  return text;
}

// Of files that hold nothing but snapshots.
std::string HeapText(std::span<const HeapFacts> heaps, const Integrity& integrity) {
  AlignedRows rows;
  rows.Add("events", "none: these files contain only heap snapshots");
  rows.Add("size", FormatBytes(integrity.total_bytes) + " in " +
                       Plural(integrity.files.size(), "file") + ", " +
                       Plural(integrity.intact_segments, "segment"));
  rows.Add("heap snapshots", Snapshots(heaps));
  return rows.Render();
}

std::string Text(const RecordingSummary& summary, const Integrity& integrity,
                 std::span<const HeapFacts> heaps) {
  AlignedRows rows;
  if (summary.process) {
    AddProcess(*summary.process, rows);
  } else {
    rows.Add("process", "unknown: the packet that describes it is lost");
  }
  rows.Add("from", FormatUnixTime(integrity.first_unix_ns));
  rows.Add("to", FormatUnixTime(integrity.last_unix_ns) + " (" +
                     FormatDuration(integrity.last_unix_ns - integrity.first_unix_ns) + ")");
  rows.Add("ended", End(summary, integrity));
  rows.Add("size", FormatBytes(integrity.total_bytes) + " in " +
                       Plural(integrity.files.size(), "file") + ", " +
                       Plural(integrity.intact_segments, "segment"));
  if (!heaps.empty()) rows.Add("heap snapshots", Snapshots(heaps));
  if (summary.requests.started > 0) rows.Add("requests", Requests(summary.requests));
  AddCost(summary, rows);
  rows.Add("events lost", Losses(summary));
  rows.Add("notes", Notes(summary));
  if (summary.counted.any()) rows.Add("details", CountedSentence(summary.counted));
  rows.Add("integrity", IntegrityText(summary, integrity));

  AlignedRows packets;
  for (const auto& [kind, count] : summary.packets) packets.Add(kind, FormatCount(count));
  if (integrity.unknown_packets > 0) {
    packets.Add("unknown kinds", FormatCount(integrity.unknown_packets));
  }
  return rows.Render() + "\npackets\n" + packets.Render("  ");
}

template <typename Texts>
Json JsonTexts(const Texts& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(ValidUtf8(text));
  return out;
}

Json JsonCut(const Process& process) {
  if (!process.has_cut()) return nullptr;
  const Cut& cut = process.cut();
  return {{"name", ValidUtf8(cut.name())},
          {"recording_id", FormatHex(cut.recording_id())},
          {"from_ns", cut.from_ns()},
          {"to_ns", cut.to_ns() == 0 ? Json(nullptr) : Json(cut.to_ns())}};
}

Json JsonProcess(const Process& process) {
  return {{"application", process.application()},
          {"pid", process.pid()},
          {"host", process.host()},
          {"command_line", JsonTexts(process.command_line())},
          {"runtime_version", process.runtime_version()},
          {"architecture", process.architecture()},
          {"os", process.os()},
          {"cpus", process.cpus()},
          {"physical_memory_bytes", process.physical_memory_bytes()},
          {"cgroup_memory_limit_bytes", process.cgroup_memory_limit_bytes()},
          {"cgroup_cpu_limit", process.cgroup_cpu_limit()},
          {"started_unix_ns", process.started_unix_ns()},
          {"recording_started_unix_ns", process.recording_started_unix_ns()},
          {"mode", JsonName(Process::Mode_Name(process.mode()))},
          {"recorder_version", process.recorder_version()},
          {"cut", JsonCut(process)},
          {"sources", JsonTexts(process.source())},
          {"options", process.options()},
          {"user_data", JsonTexts(process.user_data())},
          {"environment_names", JsonTexts(process.environment_name())}};
}

Json JsonCost(const RecordingSummary& summary) {
  const RecorderCost& cost = *summary.cost;
  const CostParts parts = CostPartsOf(cost);
  Json out = {{"callbacks", cost.callbacks()},
              {"callback_ns", cost.callback_ns()},
              {"callbacks_measured", cost.callbacks_measured()},
              {"is_cpu_time", parts.is_cpu_time},
              {"application_cpu_ns", parts.application_cpu_ns},
              {"thread_cpu_ns", cost.thread_cpu_ns()},
              {"waited_ns", parts.waited_ns},
              {"paused_ns", parts.paused_ns},
              {"memory_bytes", cost.memory_bytes()},
              {"written_bytes", cost.written_bytes()},
              {"events", cost.events()},
              {"stacks_fast", cost.stacks_fast()},
              {"stacks_exact", cost.stacks_exact()},
              {"stacks_verified", cost.stacks_verified()},
              {"stacks_mismatched", cost.stacks_mismatched()},
              {"cpu_samples", cost.cpu_samples()},
              {"cpu_handler_ns", cost.cpu_handler_ns()},
              {"elapsed_ns", summary.cost_elapsed_ns}};
  Json histogram = Json::array();
  for (const uint64_t count : cost.cpu_handler_histogram()) histogram.push_back(count);
  out["cpu_handler_histogram_250ns"] = std::move(histogram);
  const std::optional<double> cores = CoresUsed(summary);
  out["cores"] = cores ? Json(*cores) : Json(nullptr);
  return out;
}

Json JsonRequests(const analyzer::Requests& requests) {
  if (requests.started == 0) return nullptr;
  return {{"started", requests.started},
          {"finished", requests.finished},
          {"failed", requests.failed},
          {"total_ns", requests.total_ns}};
}

Json JsonCounted(const RecordingSummary& summary) {
  const CountedEvents& counted = summary.counted;
  return {{"throws", counted.throws},
          {"counted_throws", counted.counted_throws},
          {"waits", counted.waits},
          {"counted_waits", counted.counted_waits}};
}

Json ToJson(const RecordingSummary& summary, const Integrity& integrity,
            std::span<const HeapFacts> heaps) {
  Json snapshots = Json::array();
  for (const HeapFacts& heap : heaps) snapshots.push_back(JsonHeapFacts(heap));
  Json lost = Json::object();
  for (const auto& [cause, count] : summary.lost_events) {
    lost[JsonName(Loss::Cause_Name(cause))] = count;
  }
  Json packets = Json::object();
  for (const auto& [kind, count] : summary.packets) packets[kind] = count;
  return {{"process", summary.process ? JsonProcess(*summary.process) : Json(nullptr)},
          {"first_unix_ns", integrity.first_unix_ns},
          {"last_unix_ns", integrity.last_unix_ns},
          {"end", summary.end ? Json(JsonName(RecordingEnd::Reason_Name(summary.end->reason())))
                              : Json(nullptr)},
          {"closed_in_order", integrity.closed_in_order},
          {"files", integrity.files.size()},
          {"segments", integrity.intact_segments},
          {"bytes", integrity.total_bytes},
          {"packets", std::move(packets)},
          {"unknown_packets", integrity.unknown_packets},
          {"recorder_cost", summary.cost ? JsonCost(summary) : Json(nullptr)},
          {"requests", JsonRequests(summary.requests)},
          {"lost_events", std::move(lost)},
          {"notes", JsonTexts(summary.notes)},
          {"counted", JsonCounted(summary)},
          {"heap_snapshots", std::move(snapshots)},
          {"intact", integrity.intact() && DroppedEvents(summary) == 0}};
}

ExitCode Run(const InfoOptions& options) {
  Progress progress("reading");
  Result<Recording> recording = Recording::Open(options.paths, &progress);
  if (!recording) return Fail(recording.error());
  const Integrity& integrity = recording->integrity();
  std::vector<HeapFacts> heaps;
  if (!integrity.heaps.empty()) {
    Result<std::vector<HeapFacts>> found = ListHeaps(options.paths, &progress);
    if (!found) return Fail(found.error());
    heaps = std::move(found).value();
  }
  RecordingSummary summary;
  if (integrity.has_events) {
    Result<RecordingSummary> read = Summarize(*recording, &progress);
    if (!read) return Fail(read.error());
    summary = std::move(read).value();
  }
  if (options.json) {
    std::cout << JsonDump(ToJson(summary, integrity, heaps));
  } else if (integrity.has_events) {
    std::cout << Text(summary, integrity, heaps);
  } else {
    std::cout << HeapText(heaps, integrity);
  }
  return ExitCode::kOk;
}

}  // namespace

void DescribeInfo(cli::Command& command) {
  const auto options = std::make_shared<InfoOptions>();
  AddRecording(command, options->paths);
  AddJson(command, options->json);
  command.Example("hindsight info shop.hindsight", "process, options, size and cost");
  command.SeeAlso({"hindsight verify", "hindsight timeline"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
