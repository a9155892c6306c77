#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/mean_request.h"
#include "analyzer/base/text.h"
#include "analyzer/model/recorded_system.h"
#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/recording/info_report.h"
#include "analyzer/report/recording/recording_labels.h"
#include "analyzer/report/requests_report.h"

namespace hindsight::analyzer {
namespace {

std::string Join(std::span<const std::string> texts) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += " ";
    joined += Printable(text);
  }
  return joined;
}

std::string JoinOr(std::span<const std::string> texts, const char* none) {
  return texts.empty() ? none : Join(texts);
}

std::string_view ModeText(RecorderMode mode) {
  switch (mode) {
    case RecorderMode::kStartup:
      return "from process start";
    case RecorderMode::kAttach:
      return "attached to a running process";
    case RecorderMode::kUnknown:
      break;
  }
  return "unknown";
}

std::string Limits(const RecordedProcess& process) {
  std::string text =
      Plural(process.cpus, "CPU") + ", " + FormatBytes(process.physical_memory_bytes) + " memory";
  if (process.cgroup_cpu_limit > 0 || process.cgroup_memory_limit_bytes > 0) {
    text += "; container limits:";
    if (process.cgroup_cpu_limit > 0) {
      text += " " + FormatPercent(process.cgroup_cpu_limit) + " of a CPU";
    }
    if (process.cgroup_memory_limit_bytes > 0) {
      text += " " + FormatBytes(process.cgroup_memory_limit_bytes);
    }
  }
  return text;
}

// "out of Shop-7-....hindsight (id 0123456789abcdef), from 1 m 00 s to its end".
std::string CutText(const CutOrigin& cut) {
  const std::string whole = Printable(cut.name) + " (id " + FormatHex(cut.recording_id) + ")";
  if (cut.is_kept) return "a copy of " + whole + ", made while that went on";
  return "out of " + whole + ", from " + FormatDuration(cut.from_ns) + " to " +
         (cut.to_ns ? FormatDuration(*cut.to_ns) : "its end");
}

void AddProcess(const RecordedProcess& process, AlignedRows& rows) {
  rows.Add("application", Printable(process.application) + ", pid " + std::to_string(process.pid) +
                              " on " + Printable(process.host));
  rows.Add("command line", Join(process.command_line));
  rows.Add("runtime", ".NET " + Printable(process.runtime_version) + ", " +
                          Printable(process.architecture) + ", " + Printable(process.os));
  rows.Add("machine", Limits(process));
  if (process.started_unix_ns != 0) {
    rows.Add("process started", FormatUnixTime(process.started_unix_ns));
  }
  rows.Add("recorded", std::string(ModeText(process.mode)) + ", by recorder " +
                           Printable(process.recorder_version));
  if (process.cut) rows.Add("cut", CutText(*process.cut));
  rows.Add("sources", JoinOr(process.sources, "none"));
  rows.Add("options", process.options.empty() ? "the defaults" : Printable(process.options));
  rows.Add("user data", JoinOr(process.user_data, "none"));
  if (process.open_files_limit != 0) {
    rows.Add("open files", "at most " + FormatCount(process.open_files_limit));
  }
  if (!process.runtime_settings.empty()) rows.Add("settings", Join(process.runtime_settings));
  rows.Add("environment",
           Plural(process.environment_names.size(), "variable name") + " (see --json), no values");
}

std::string End(const RecordingSummary& summary, const Integrity& integrity) {
  if (summary.end) return std::string(Describe(*summary.end));
  return integrity.closed_in_order ? "cleanly"
                                   : "abruptly: the process was killed, the recording is still "
                                     "running, or the last files are missing";
}

// ", half below 1.5 us, 99 % below 3 us", as precisely as the histogram's buckets allow. The last
// bucket is open-ended: ", more than 1 % above 7.8 us".
std::string HandlerQuantiles(const RecordedCost& cost) {
  const std::vector<uint64_t>& histogram = cost.cpu_handler_histogram;
  double total = 0;
  for (const uint64_t count : histogram) total += static_cast<double>(count);
  if (total == 0) return "";
  const size_t last = histogram.size() - 1;
  const auto bucket_of = [&](double share) {
    double sum = 0;
    size_t bucket = 0;
    while (bucket < last && sum + static_cast<double>(histogram[bucket]) < share * total) {
      sum += static_cast<double>(histogram[bucket++]);
    }
    return bucket;
  };
  const auto below = [](size_t bucket) {
    return " below " + FormatDuration((bucket + 1) * RecordedCost::kHistogramStepNs);
  };
  const std::string above_all = " above " + FormatDuration(last * RecordedCost::kHistogramStepNs);
  const size_t median = bucket_of(0.5), nearly_all = bucket_of(0.99);
  if (median == last) return ", more than half" + above_all;
  return ", half" + below(median) +
         (nearly_all == last ? ", more than 1 %" + above_all : ", 99 %" + below(nearly_all));
}

void AddCost(const RecordingSummary& summary, AlignedRows& rows) {
  if (!summary.cost) {
    rows.Add("recorder cost", "not recorded");
    return;
  }
  const RecordedCost& cost = *summary.cost;
  const std::optional<double> cores = summary.CoresUsed();
  std::string text =
      cores ? FormatPercent(*cores) + " of a core over " + FormatDuration(cost.elapsed_ns)
            : "share of a core unknown";
  const CostParts& parts = cost.parts;
  const std::string_view kind = parts.is_cpu_time ? " CPU time" : " wall time";
  text += "\n" + FormatDuration(parts.application_cpu_ns);
  text += kind;
  text += " on the application's threads, in " + Plural(cost.callbacks, "callback");
  if (cost.callbacks > 0) {
    const uint64_t ns = parts.is_cpu_time ? cost.callback_cpu_ns : cost.callback_ns;
    text += " (" + FormatDuration(ns / cost.callbacks) + " each)";
  }
  const bool suspended =
      cost.cpu_samples > 0 && summary.process && SamplesSuspend(summary.process->os);
  if (cost.cpu_samples > 0 && !suspended) {
    text += " and " + Plural(cost.cpu_samples, "CPU sample");
  }
  text += "\n" + FormatDuration(parts.own_cpu_ns) + " CPU time of its own threads";
  if (parts.is_cpu_time) {
    text += "\n" + FormatDuration(parts.waited_ns + parts.paused_ns) +
            " of waiting by the application: " + FormatDuration(parts.paused_ns) +
            " in pauses for snapshots, " + FormatDuration(parts.waited_ns) +
            (suspended ? " descheduled in callbacks or suspended for CPU samples"
                       : " descheduled in callbacks");
  }
  text += "\n" + FormatBytes(cost.memory_bytes) + " memory, " + FormatBytes(cost.written_bytes) +
          " written, " + Plural(cost.events, "event");
  if (cost.stacks_fast + cost.stacks_exact > 0) {
    text += "\nstacks: " + FormatCount(cost.stacks_fast) + " by learned unwind rules, " +
            FormatCount(cost.stacks_exact) + " by the runtime; " +
            FormatCount(cost.stacks_verified) + " compared, " +
            FormatCount(cost.stacks_mismatched) + " differed";
  }
  if (cost.cpu_samples > 0) {
    text += "\nCPU samples: " + FormatCount(cost.cpu_samples) +
            (suspended ? ", with their threads suspended for " : " in ") +
            FormatDuration(cost.cpu_handler_ns) + " (" +
            FormatDuration(cost.cpu_handler_ns / cost.cpu_samples) + " each" +
            HandlerQuantiles(cost) + ")";
  }
  rows.Add("recorder cost", std::move(text));
}

std::string Requests(const analyzer::Requests& requests) {
  std::string text = FormatCount(requests.finished) + " served";
  if (const auto mean = MeanRequestOf(requests)) text += ", " + MeanRequestText(*mean);
  text += "; " + FormatCount(requests.failed) + " failed with an exception";
  if (requests.server_errors) {
    text += ", " + FormatCount(*requests.server_errors) + " were answered with 500 or above";
  }
  if (const uint64_t others = requests.in_progress(); others > 0) {
    text += "; " + FormatCount(others) + " in progress at the end";
  }
  return text;
}

std::string Losses(const RecordingSummary& summary) {
  std::string text;
  for (const auto& [cause, count] : summary.lost_events) {
    if (!text.empty()) text += "\n";
    text += Plural(count, "event") + ": ";
    text += Describe(cause);
  }
  return text.empty() ? "none" : text;
}

// What is not intact although no bytes are missing in the files, followed by what is missing there.
std::string IntegrityText(const RecordingSummary& summary, const Integrity& integrity) {
  std::string text;
  if (const uint64_t dropped = summary.DroppedEvents(); dropped > 0) {
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

// For files that only contain snapshots.
std::string HeapText(std::span<const HeapFacts> heaps, const Integrity& integrity, size_t width) {
  AlignedRows rows;
  rows.Add("events", "none: these files contain only heap snapshots");
  rows.Add("size", FormatBytes(integrity.total_bytes) + " in " +
                       Plural(integrity.files.size(), "file") + ", " +
                       Plural(integrity.intact_segments, "segment"));
  rows.Add("heap snapshots", Snapshots(heaps));
  return rows.Render("", width);
}

std::string EventsText(const RecordingSummary& summary, const Integrity& integrity,
                       std::span<const HeapFacts> heaps, size_t width) {
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
  return rows.Render("", width) + "\npackets\n" + packets.Render("  ");
}

}  // namespace

std::string InfoText(const InfoView& view, const TextStyle& style) {
  const size_t width = style.shortens ? style.width : SIZE_MAX;
  return view.integrity.has_events ? EventsText(view.summary, view.integrity, view.heaps, width)
                                   : HeapText(view.heaps, view.integrity, width);
}

}  // namespace hindsight::analyzer
