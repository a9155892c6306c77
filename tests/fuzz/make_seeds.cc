// Writes the seeds of a fuzz target into a folder: make_seeds TARGET FOLDER.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/elf_builder.h"
#include "tests/support/pdb_builder.h"
#include "tests/support/sample_recordings.h"

namespace {

namespace fs = std::filesystem;
using hindsight::kSegmentHeaderBytes;
using hindsight::testing::ParseText;
using hindsight::testing::ReadFile;
using hindsight::testing::RecordingBuilder;
using hindsight::testing::SampleRecording;
using hindsight::testing::WriteFile;

// Every kind of packet, and most fields.
constexpr char kAllKinds[] = R"(
  packet { segment_start { monotonic_ns: 1000 unix_ns: 2000 } }
  packet { process { pid: 1 application: "a" command_line: "b" source: "c" user_data: "d" } }
  packet { string { id: 1 value: "text" truncated_chars: 3 } }
  packet { module { id: 1 path: 1 assembly: 1 mvid: "0123456789abcdef" is_dynamic: true } }
  packet { type { id: 1 name: 1 module: 1 token: 2 argument: 1 element: 1 rank: 2 } }
  packet { method { id: 1 name: 1 type: 1 module: 1 argument: 1 parameter: "int"
                    code { start: 5 region_size: 6 region_delta: -7 il_offset_delta: -1 } } }
  packet { frame { id: 1 method: 1 address: 9 native_offset: 3 il_offset: 4 } }
  packet { stack { id: 1 frame: 1 } }
  packet { stack { id: 2 parent: 1 frame: 1 } }
  packet { thread { id: 1 os_id: 2 name: 1 started_ns: 5 } }
  packet { time_delta_ns: 5 thread_lifetime { thread: 1 kind: CREATED } }
  packet { time_delta_ns: 5 module_load { module: 1 kind: LOADED } }
  packet { time_delta_ns: 5 exception { id_delta: 3 thread: 1 type: 1 message: 1 stack: 2
           previous_delta: 1 hop: HOP_RETHROW cause_delta: 2 outcome { kind: CAUGHT catcher: 1 } } }
  packet { time_delta_ns: -5 exception_outcome { id: 3 outcome { kind: UNHANDLED } } }
  packet { garbage_collection { number: 1 generation: 2 duration_ns: 5 runtime_number: 7 reason: 1
           type: BACKGROUND sizes { generation: 2 before_bytes: 9 after_bytes: 8 } } }
  packet { suspension { reason: 1 stopping_ns: 2 total_ns: 3 } }
  packet { cpu_samples { period_ns: 10000000 time_delta_us: 0 time_delta_us: 10000 thread: 1
           thread: 1 stack: 2 stack: 1 weight: 1 weight: 2 unrooted: 1 } }
  packet { allocation_samples { sampling: BYTES mean_bytes: 102400 time_delta_us: 0 thread: 1
           stack: 2 type: 1 size: 24 heap: LARGE } }
  packet { allocation_samples { sampling: TICK time_delta_us: 0 thread: 1 stack: 2 type: 1
           size: 24 amount: 102400 } }
  packet { jit_sample { methods: 3 time_ns: 4 tier: 1 tier: 2 r2r_rejected: 1 } }
  packet { time_delta_ns: 5 request_counts { interval_ns: 4 started: 3 finished: 2 failed: 1
           busy_ns: 9 in_flight: 1 } }
  packet { request_durations { notice: LISTENING } }
  packet { outside_calls { listening: true } }
  packet { time_delta_ns: 9 served_request { route: 1 status: 200 duration_ns: 8000 matched_ns: 1000
           part { kind: COMMAND what: 1 start_us: 1 start_us: 2 length_us: 1 length_us: 1 }
           part { kind: CALL what: 1 more_count: 3 more_ns: 9 failed: 1 } } }
  packet { outside_calls { part { kind: COMMAND what: 1 more_count: 3 more_ns: 9 } } }
  packet { time_delta_ns: 5 request_durations { instrument: SERVER tags: 1 count: 3 total_ns: 9
           p50_ns: 3 p95_ns: 4 p99_ns: 5 } }
  packet { loss { cause: RING_FULL count: 4 thread: 1 } }
  packet { recorder_cost { callbacks: 1 callback_ns: 2 cpu_samples: 2 cpu_handler_histogram: 2 } }
  packet { recorder_note { text: "note" } }
  packet { recording_end { reason: STOPPED } })";

void WriteHeaders(const fs::path& folder) {
  const std::string file = SampleRecording().files()[0];
  WriteFile(folder / "header", file.substr(0, kSegmentHeaderBytes));
  WriteFile(folder / "header_cut", file.substr(0, 40));
  WriteFile(folder / "header_late", std::string(7, 'x') + file.substr(0, kSegmentHeaderBytes));
}

void WriteBodies(const fs::path& folder) {
  WriteFile(folder / "all_kinds", ParseText(kAllKinds).SerializeAsString());
  WriteFile(folder / "least", ParseText("packet { segment_start {} }").SerializeAsString());
}

void WriteRecordings(const fs::path& folder) {
  const RecordingBuilder sample = SampleRecording();
  WriteFile(folder / "sample", sample.Concatenated());
  WriteFile(folder / "cut", sample.Concatenated().substr(0, 700));
  WriteFile(folder / "middle", sample.files()[1]);
  RecordingBuilder all;
  all.AddText(kAllKinds);
  WriteFile(folder / "all_kinds", all.Concatenated());
}

void WriteHeaps(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(HINDSIGHT_GOLDEN_HEAP_CASES)) {
    if (entry.path().extension() != ".textproto") continue;
    WriteFile(folder / entry.path().stem(), ParseText(ReadFile(entry.path())).SerializeAsString());
  }
}

// Pairs of golden cases, after the header that comparison_fuzz expects.
void WritePairs(const fs::path& folder) {
  const auto write = [&](const std::string& name, char options, const std::string& before,
                         const std::string& after) {
    const char head[] = {options, static_cast<char>(before.size()),
                         static_cast<char>(before.size() >> 8)};
    WriteFile(folder / name, std::string(head, sizeof head) + before + after);
  };
  const fs::path cases = fs::path(HINDSIGHT_GOLDEN_HEAP_CASES).parent_path() / "diff_cases";
  for (const char* name : {"more_exceptions", "same", "slower_method"}) {
    const auto body = [&](const char* side) {
      const std::string file = std::string(name) + "." + side + ".textproto";
      return ParseText(ReadFile(cases / file)).SerializeAsString();
    };
    write(name, 0, body("before"), body("after"));
  }
  const std::string all = ParseText(kAllKinds).SerializeAsString();
  write("all_kinds", 6, all, all);
}

constexpr char kHeapTables[] = R"(
  packet { segment_start { monotonic_ns: 1000 unix_ns: 2000 } }
  packet { heap_snapshot { number: 1 method: FORK } }
  packet { heap_range { start: 4096 used_bytes: 4096 generation: 2 } }
  packet { string { id: 1 value: "Shop.Node" } }
  packet { type { id: 1 name: 1 } }
  packet { heap_class { id: 1 type: 1 base_bytes: 32 slot_offset: 8 slot_offset: 16 slot_name: 1
           value_field { name: 1 } value_field { name: 1 kind: TEXT } } }
  packet { heap_class { id: 2 base: 1 base_bytes: 24 component_bytes: 16 kind: ARRAY
           slot_offset: 0 slot_offset: 8 } }
  packet { heap_roots { kind: STRONG_HANDLE kind: WEAK_HANDLE address_delta: 4096
           address_delta: 32 } }
  packet { heap_dependents { key_delta: 4096 value_delta: 4128 } }
  packet { heap_static { type: 1 field: 1 slot_address: 4184 } }
  packet { frame { id: 1 method: 1 } }
  packet { frame { id: 2 } }
  packet { stack { id: 1 frame: 1 } }
  packet { stack { id: 2 parent: 1 frame: 2 } }
  packet { thread { id: 1 os_id: 7 name: 1 } }
  packet { heap_monitors { object_delta: 4096 owner_os_id: 7 owner_managed_id: 1 recursion: 0
           waited_for: true unknown_because: "Nobody knows." } }
  packet { heap_thread { thread: 1 clr_thread: 9 stack: 2 object_delta: 4096 object_offset: 8
           object_frame: 1 waiting_monitor: 4128 } }
  packet { heap_allocations { sampling: BYTES mean_bytes: 4096 object_delta: 4096 object_delta: 32
           stack: 2 stack: 0 thread: 1 thread: 1 size: 32 size: 32 allocated_ns: 900
           allocated_ns: 2000 stride: 3 followed_since_ns: 500 } }
  packet { heap_snapshot_end { result: COMPLETE objects: 3 object_bytes: 144 } })";

// Two nodes and an array of three pairs; whole, and the array in parts.
constexpr char kHeapWhole[] = R"(
  packet { segment_start {} }
  packet { heap_objects { first_address: 4096 class: 1 class: 1 class: 2 gap: 0 gap: 2 gap: 0
           length: 3 slot: 13 slot: 0 slot: 12 slot: 1 slot: 0 slot: 22 slot: 0 slot: 0 slot: 0
           slot: 1 value: 7 value: -7 text: "one" text: "" text_is_null: false
           text_is_null: true chained: true } })";
constexpr char kHeapParts[] = R"(
  packet { segment_start {} }
  packet { heap_objects { first_address: 4096 class: 2 gap: 0 length: 2 slot: 1 is_partial: true } }
  packet { heap_objects { first_address: 4096 class: 2 gap: 0 length: 2 slot: 0 slot: 1
           first_slot: 1 } }
  packet { heap_objects { first_address: 4160 class: 1 gap: 0 slot_count: 1 slot: 16 value: 1
           text: "x" text_is_null: false } })";

// A part of an array that claims the largest number of slots, and another one: 2^17 of the first
// and one of the second claim 2^64 and a few.
constexpr char kClaimed[] = R"(
  packet { segment_start {} }
  packet { heap_objects { first_address: 65536 class: 1 gap: 0 length: 4294967295 slot: 1
           is_partial: true } }
  packet { heap_objects { first_address: 1152921504606846976 class: 2 gap: 0 length: 4294967295 slot: 1
           is_partial: true } })";

void WriteHeapBodies(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& tables, const char* objects,
                         char copies, char stride) {
    const char head[] = {static_cast<char>(tables.size()), static_cast<char>(tables.size() >> 8),
                         copies, stride};
    WriteFile(folder / name,
              std::string(head, sizeof head) + tables + ParseText(objects).SerializeAsString());
  };
  const std::string tables = ParseText(kHeapTables).SerializeAsString();
  write("whole", tables, kHeapWhole, 0, 0);
  write("parts", tables, kHeapParts, 0, 0);
  write("many", tables, kHeapWhole, 8, 12);
  hindsight::Recording wide = ParseText(R"(
      packet { segment_start {} }
      packet { heap_class { id: 1 base_bytes: 24 component_bytes: 8 kind: ARRAY } }
      packet { heap_class { id: 2 base_bytes: 24 component_bytes: 8 kind: ARRAY
               slot_offset: 0 slot_offset: 0 } })");
  for (int i = 0; i < 1 << 15; ++i) {
    wide.mutable_packet(1)->mutable_heap_class()->add_slot_offset(0);
  }
  write("claimed", wide.SerializeAsString(), kClaimed, 17, 36);
}

void WriteSymbols(const fs::path& folder) {
  constexpr char kSourceLink[] = R"({"documents": {"/src/*": "https://host/*"}})";
  hindsight::PdbBuilder builder;
  const uint32_t shop = builder.AddDocument("/src/Shop.cs");
  const uint32_t kickoff = builder.AddMethod(0, {});
  const uint32_t body = builder.AddMethod(shop, {{0, 0}, {3, 10}, {9, 0}, {300, 9}});
  builder.AddStateMachine(body, kickoff);
  builder.AddMethod(0, {{0, 7, shop}, {2, 3, builder.AddDocument("/src/Page.cs")}});
  builder.SetSourceLink(kSourceLink);
  WriteFile(folder / "pdb", builder.Build());
  WriteFile(folder / "assembly", hindsight::BuildAssembly({}));
  WriteFile(folder / "embedded", hindsight::BuildAssembly({.embedded = builder.Build()}));
  WriteFile(folder / "source_link", kSourceLink);
}

void WriteElf(const fs::path& folder) {
  const std::string id(20, 'i');
  WriteFile(folder / "library",
            hindsight::BuildLibrary(
                {{"_ZN4Shop3PayEv", 0x1000, 0x20}, {"Pay", 0x1000, 0x20}, {"_stub", 0x1040, 0}}, id,
                "libshop.so.debug"));
  std::string names(1, '\0');
  const std::string symbols = hindsight::SymbolTable({{"exported", 0x2000, 64}}, names);
  WriteFile(folder / "dynamic", hindsight::BuildElf({{".dynsym", 11, symbols, 3},
                                                     {".dynstr", 3, names},
                                                     {".note", 7, hindsight::BuildIdNote(id)}}));
}

void WriteText(const fs::path& folder, std::string_view target) {
  if (target == "budgets") {
    WriteFile(folder / "named",
              "[budgets]\n\"no deadlocks\" = \"deadlocks = 0\"\n"
              "memory = { rule = \"retained of type List<X> < 50 MB\", optional = true }\n");
    WriteFile(folder / "array", "budgets = [\"exceptions/s < 5\", \"p99 GC pause < 20 ms\"]");
    WriteFile(folder / "rule", "cpu of method Shop.Cart.* <= 110 % of baseline");
  } else if (target == "catalogue") {
    WriteFile(folder / "row",
              R"({"application":"Shop","build":"ab","bytes":7,"command":"","covered":1023,)"
              R"("duration_ns":5,"files":1,"findings":[{"command":"deadlocks","impact":1.0,)"
              R"("kind":"lock-cycle","severity":"critical","signal":"deadlocks","subject":"x",)"
              R"("title":"t"}],"host":"web-1","modified_ns":1,"numbers":{"cpu.cores":0.5},)"
              R"("path":"a","pid":1,"process_started_unix_ns":2,"recording_id":3,)"
              R"("runtime":"10.0","started_unix_ns":4})");
  } else if (target == "serve") {
    WriteFile(folder / "request",
              "GET /t0ken/api/list?a=1%20 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"
              "GET /t0ken/ HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
              "Connection: close\r\n\r\n");
    WriteFile(folder / "target", "/t0ken/api/object?recording=a.hindsight&address=0x7f&rows=50");
  } else if (target == "options") {
    WriteFile(folder / "all",
              "output=/var/tmp/x;for=1m30s;sources=exceptions,-gc;match=*Shop*;limit.memory=64MiB;"
              "limit.disk=1GiB;exceptions.messages=off;exceptions.message_chars=10");
    WriteFile(folder / "escaped", "match=a\\;b\\\\ ; for=500ms ;");
  } else if (target == "control") {
    WriteFile(folder / "request", "status\n");
    WriteFile(folder / "reply", "ok\n");
  } else if (target == "naming") {
    WriteFile(folder / "async", "Shop.Cart+<AddAsync>d__4`1\nMoveNext\nint\nstring");
    WriteFile(folder / "lambda", "Shop.Cart+<>c__DisplayClass1_0\n<Add>b__0_1");
  } else if (target == "unwind") {
    // A CIE and a function: push rbp; mov rbp, rsp; ...; pop rbp; ret. The end.
    WriteFile(folder / "framed",
              std::string("\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0"
                          "\x1c\0\0\0\x1c\0\0\0\xe0\xff\0\0\x20\0\0\0\0\x41\x0e\x10\x86\2\x43\x0d"
                          "\6\x50\x0c\7\x08\xc6\0\0\0\0\0\0",
                          60));
    // push rbp; push r15; push rbx; sub rsp, 16; lea rbp, [rsp + 32]
    WriteFile(folder / "prolog", "\x55\x41\x57\x53\x48\x83\xec\x10\x48\x8d\x6c\x24\x20");
    WriteFile(folder / "epilog", "\x48\x83\xc4\x10\x5b\x41\x5f\x5d\xc3");
  } else if (target == "images") {
    // The headers of this program, followed by its own tables; and a minimal assembly.
    WriteFile(folder / "elf", ReadFile("/proc/self/exe").substr(0, 4096));
    std::string image(0x200, '\0');
    image.replace(0, 2, "MZ");
    image[0x3c] = '\x40';
    image.replace(0x40, 2, "PE");
    image[0x46] = 1;
    image.replace(0x54, 1, "\xf0");
    image.replace(0x58, 2, "\x0b\x02");
    WriteFile(folder / "pe", image);
  } else if (target == "diagnostics_ipc") {
    WriteFile(folder / "answer", std::string("DOTNET_IPC_V1\0\x18\0\xff\0\0\0\0\0\0\0", 24));
    WriteFile(folder / "guid", "{cf0d821e-299b-5307-a3d8-b283c03916dd}");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const std::string_view target = argv[1];
  const fs::path folder = argv[2];
  try {
    fs::create_directories(folder);
    if (target == "segment_header") WriteHeaders(folder);
    if (target == "segment_body" || target == "report") WriteBodies(folder);
    if (target == "comparison") WritePairs(folder);
    if (target == "recording") WriteRecordings(folder);
    if (target == "heap_report") WriteHeaps(folder);
    if (target == "heap") WriteHeapBodies(folder);
    if (target == "symbols") WriteSymbols(folder);
    if (target == "elf") WriteElf(folder);
    WriteText(folder, target);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_seeds: %s\n", error.what());
    return 1;
  }
  return fs::is_empty(folder) ? 64 : 0;
}
