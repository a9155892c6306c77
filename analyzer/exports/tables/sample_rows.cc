#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

struct ThreadRow {
  ThreadIndex number = 0;
  const ThreadInfo* thread = nullptr;
};

std::optional<int64_t> StartOf(const ThreadRow& row) {
  return row.thread->has_start ? std::optional(row.thread->start_ns) : std::nullopt;
}
std::optional<int64_t> EndOf(const ThreadRow& row) {
  return row.thread->has_end ? std::optional(row.thread->end_ns) : std::nullopt;
}

SqlTable<ThreadRow> Threads() {
  return {"threads",
          "",
          TableSource::kEvents,
          1,
          {{"thread", "numbered from 1", &ThreadRow::number},
           {"os_id", "thread id of the kernel", [](auto& row) { return Known(row.thread->os_id); }},
           {"name", "",
            [](auto& row, auto& in) {
              return KnownText(in.model->dictionaries.String(row.thread->name));
            }},
           {"started_ns", "NULL: before the recording", StartOf},
           {"ended_ns", "NULL: still alive", EndOf},
           {"throws", "exceptions thrown on it, rethrows included",
            [](auto& row) { return row.thread->throws; }},
           {"creator_stack", "where it was started",
            StackOf([](auto& row) { return row.thread->creator_stack; })}}};
}

SqlTable<CpuSample> CpuSamples() {
  return {"cpu_samples",
          "CPU samples. Beyond 4 million, every second one is dropped and the rest count double",
          TableSource::kEvents,
          1,
          {Numbered<CpuSample>("sample"),
           {"at_ns", kAt, &CpuSample::at_ns},
           {"thread", "", KnownId(&CpuSample::thread)},
           {"stack", "", CallOf(&CpuSample::call)},
           {"cpu_ns", "CPU time represented by the sample", &CpuSample::cpu_ns},
           {"is_unrooted", "1: the outer frames are missing",
            [](auto& sample) { return sample.unrooted; }}}};
}

std::string_view HeapName(AllocationHeap heap) {
  switch (heap) {
    case AllocationHeap::kSmall:
      return "small";
    case AllocationHeap::kLarge:
      return "large";
    case AllocationHeap::kPinned:
      return "pinned";
    case AllocationHeap::kUnknown:
      break;
  }
  return "unknown";
}

SqlTable<AllocationSample> AllocationSamples() {
  return {"allocation_samples",
          "Sampled allocations, bounded like cpu_samples",
          TableSource::kEvents,
          1,
          {Numbered<AllocationSample>("sample"),
           {"at_ns", kAt, &AllocationSample::at_ns},
           {"thread", "", KnownId(&AllocationSample::thread)},
           {"stack", "", CallOf(&AllocationSample::call)},
           {"type", "", TypeOf(&AllocationSample::type)},
           {"heap", "small, large, pinned, unknown",
            [](auto& sample) { return HeapName(sample.heap); }},
           {"size_bytes", "of the object", &AllocationSample::size},
           {"objects", "represented by the sample", &AllocationSample::objects},
           {"bytes", "represented by the sample", &AllocationSample::bytes}}};
}

SqlTable<JitState> JitStates() {
  return {
      "jit",
      "The compiler's counters over time",
      TableSource::kEvents,
      1,
      {Numbered<JitState>("sample"),
       {"at_ns", kAt, &JitState::at_ns},
       {"methods", "compiled since the process began", &JitState::methods},
       {"il_bytes", "bytes of their IL", &JitState::il_bytes},
       {"time_ns", "time spent compiling, all threads", &JitState::time_ns},
       {"background_ns", "by the tiering thread, since the recording began",
        &JitState::background_ns},
       {"r2r_rejected", "compiled although precompiled code existed", &JitState::r2r_rejected}}};
}

}  // namespace

std::vector<TableSchema> ThreadTables() { return {Threads()}; }

void WriteThreads(const RowContext& context, TableWriter& writer) {
  TableRows<ThreadRow> rows(Threads(), context, writer);
  if (!rows) return;
  const auto& threads = context.model->threads;
  for (ThreadIndex i = 1; i < threads.size(); ++i) rows.Add({i, &threads[i]});
}

std::vector<TableSchema> SampleTables() { return {CpuSamples(), AllocationSamples(), JitStates()}; }

void WriteSamples(const RowContext& context, TableWriter& writer) {
  const auto& samples = context.model->samples;
  WriteRows(CpuSamples(), samples.cpu.samples, context, writer);
  WriteRows(AllocationSamples(), samples.allocations.samples, context, writer);
  WriteRows(JitStates(), samples.jit, context, writer);
}

}  // namespace hindsight::analyzer
