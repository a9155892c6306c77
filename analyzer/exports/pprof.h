// A profile as pprof reads it: profile.proto in gzip (see pprof.proto).
//
// Samples are summed up by path, thread and type. Frames are calls, with their lines if known;
// modules are mappings, with what identifies their build. Each sample has the labels thread,
// process, version (of .NET), build (of the application), host and, for allocations and exceptions,
// type.
#pragma once

#include <cstdint>

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/export_facts.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

struct PprofTotals {
  uint64_t samples = 0;  // entries in the file
  uint64_t functions = 0;
  uint64_t lines = 0;  // locations with a line
  bool written = false;
};

// `profile` must have call_sites, and no type_frames. `lines` may be null. Memory: the size of the
// uncompressed file, some 100 bytes per entry.
PprofTotals WritePprof(const Model& model, const StackProfile& profile, const ExportFacts& facts,
                       const Lines* lines, const ByteSink& sink);

}  // namespace hindsight::analyzer
