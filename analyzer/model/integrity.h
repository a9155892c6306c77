// What is intact and what is lost in a recording, according to its container and contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hindsight::analyzer {

// A range of bytes of one file that is not an intact segment.
struct Damage {
  enum class Cause {
    kTruncated,  // the file ends inside a segment: the process was killed, or the disk was full
    kZeros,    // zero bytes where segments should be: the machine stopped before the disk had them
    kDamaged,  // a checksum does not match, or these are not segments at all
    kInvalid,  // checksums match, but the contents break the format's rules or limits
    kUnreadable,  // the file could not be opened or read
    kConflict,    // an intact segment with the number of another one, but different contents
  };
  Cause cause = Cause::kDamaged;
  std::string file;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::optional<uint64_t> sequence;  // of the segment, if its header is intact
  std::string detail;                // a clause for display: "the body's checksum does not match"
  bool of_heap = false;              // concerns heap snapshots only
};

// Consecutive segments that were written, or should have been, and are missing.
struct Gap {
  enum class Cause {
    kRotatedAway,     // the oldest files were deleted to stay within the size limit
    kGivenUpForRoom,  // likewise, some of them because the disk was full
    // Older files are gone, and the first remaining one is damaged at its start; only if the
    // recording does not say what was deleted on purpose.
    kRotatedAwayOrDamaged,
    kDamaged,      // see the Damage at the same place
    kMissingFile,  // whole files between two others, or before the first, are missing
    kNotWritten,   // no damaged bytes between the neighbors: the recorder could not write
                   // them, or a file was cut exactly between two segments
  };
  Cause cause = Cause::kDamaged;
  uint64_t first_sequence = 0;
  uint64_t count = 0;
  // Files that are missing, for kMissingFile; 0 otherwise.
  uint32_t first_missing_file = 0;
  uint32_t missing_files = 0;
  // CLOCK_REALTIME from the end of the segment before the gap to the start of the one after it; 0
  // if there is none. Known after ForEachPacket.
  uint64_t from_unix_ns = 0;
  uint64_t to_unix_ns = 0;

  // Deleted by the recorder, as configured.
  bool on_purpose() const {
    return cause == Cause::kRotatedAway || cause == Cause::kGivenUpForRoom;
  }
};

struct FileSummary {
  std::string path;
  uint64_t bytes = 0;
  uint64_t intact_segments = 0;
  uint64_t first_sequence = 0;  // of the intact segments
  uint64_t last_sequence = 0;
};

// The segments of one heap snapshot.
struct HeapFileSummary {
  uint32_t number = 0;
  uint64_t intact_segments = 0;
  uint64_t object_segments = 0;  // intact ones with objects
  uint64_t lost_segments = 0;    // damaged, or missing before another one
  uint64_t bytes = 0;
};

struct Integrity {
  uint64_t recording_id = 0;
  std::vector<FileSummary> files;

  uint64_t intact_segments = 0;
  uint64_t total_bytes = 0;
  uint64_t lost_bytes = 0;          // in `damages`, including those beyond kMaxDamagesListed
  uint64_t duplicate_segments = 0;  // repetitions of a segment (a file given twice)
  uint64_t skipped_segments = 0;    // intact, of a kind this version does not know
  uint64_t unknown_packets = 0;     // intact, of a kind this version does not know

  std::vector<Damage> damages;  // the first kMaxDamagesListed, ordered by file and offset
  uint64_t damage_count = 0;
  // Those that concern heap snapshots only: events are not among them.
  uint64_t heap_damage_count = 0;
  uint64_t lost_heap_bytes = 0;
  std::vector<Gap> gaps;  // ordered by sequence

  bool has_events = false;             // segments other than those of heap snapshots
  std::vector<HeapFileSummary> heaps;  // ordered by number
  // Numbers of snapshots that should have a file, according to the events, but do not; only for
  // folders. Known after ForEachPacket.
  std::vector<uint32_t> missing_heaps;

  // The last segment says that the recording was closed. Otherwise the process was killed, is still
  // recording, or the last files are missing: what is missing at the end cannot be counted.
  bool closed_in_order = false;

  // CLOCK_REALTIME. Everything from `first` to `complete_until` is here (a recording whose oldest
  // files were rotated away begins later); after that there is a gap, or the end. 0 until
  // ForEachPacket has run.
  uint64_t first_unix_ns = 0;
  uint64_t complete_until_unix_ns = 0;
  uint64_t last_unix_ns = 0;

  // Nothing is damaged or missing, except what rotation deleted on purpose. Ignores heap snapshots.
  bool intact() const;
  uint64_t lost_segments() const;  // in gaps; saturates. Excludes those that were rotated away
};

// "The file of heap snapshot 2 is missing"; empty if none is.
std::string MissingHeaps(const Integrity& integrity);

// Empty if intact; otherwise one sentence for reports: what is missing, and that `hindsight verify`
// says more.
std::string LossSentence(const Integrity& integrity);

inline constexpr size_t kMaxDamagesListed = 1000;

}  // namespace hindsight::analyzer
