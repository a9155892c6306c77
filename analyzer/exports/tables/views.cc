// Views: the starting point of most queries, with plain names. In SQL that both SQLite and
// PostgreSQL understand.
#include <array>

#include "analyzer/exports/tables/schema.h"

namespace hindsight::analyzer {
namespace {

constexpr std::array kViews = {
    ViewSchema{"cpu_by_method",
               "recording, method (name), self_ns, total_ns (callees included), samples (of "
               "total_ns), share (total_ns of the recording's CPU time)",
               R"(SELECT s.recording, m.name AS method,
       sum(CASE WHEN k.method = f.method THEN s.cpu_ns ELSE 0 END) AS self_ns,
       sum(s.cpu_ns) AS total_ns, sum(s.samples) AS samples,
       1.0 * sum(s.cpu_ns) / nullif(r.cpu_ns, 0) AS share
FROM (SELECT recording, stack, sum(cpu_ns) AS cpu_ns, count(*) AS samples
      FROM cpu_samples GROUP BY recording, stack) s
JOIN stacks k ON k.recording = s.recording AND k.stack = s.stack
JOIN frames f ON f.recording = s.recording AND f.stack = s.stack
JOIN methods m ON m.recording = f.recording AND m.method = f.method
JOIN recordings r ON r.recording = s.recording
GROUP BY s.recording, f.method, m.name, r.cpu_ns)"},
    ViewSchema{"cpu_by_thread", "recording, thread, name, os_id, cpu_ns, samples",
               R"(SELECT s.recording, s.thread, t.name, t.os_id,
       sum(s.cpu_ns) AS cpu_ns, count(*) AS samples
FROM cpu_samples s
LEFT JOIN threads t ON t.recording = s.recording AND t.thread = s.thread
GROUP BY s.recording, s.thread, t.name, t.os_id)"},
    ViewSchema{"allocations_by_type", "recording, type (name), objects, bytes, samples",
               R"(SELECT a.recording, coalesce(t.name, '?') AS type,
       sum(a.objects) AS objects, sum(a.bytes) AS bytes, count(*) AS samples
FROM allocation_samples a
LEFT JOIN types t ON t.recording = a.recording AND t.type = a.type
GROUP BY a.recording, a.type, t.name)"},
    ViewSchema{"allocations_by_method",
               "recording, method (name), self_bytes, total_bytes (callees included), samples",
               R"(SELECT s.recording, m.name AS method,
       sum(CASE WHEN k.method = f.method THEN s.bytes ELSE 0 END) AS self_bytes,
       sum(s.bytes) AS total_bytes, sum(s.samples) AS samples
FROM (SELECT recording, stack, sum(bytes) AS bytes, count(*) AS samples
      FROM allocation_samples GROUP BY recording, stack) s
JOIN stacks k ON k.recording = s.recording AND k.stack = s.stack
JOIN frames f ON f.recording = s.recording AND f.stack = s.stack
JOIN methods m ON m.recording = f.recording AND m.method = f.method
GROUP BY s.recording, f.method, m.name)"},
    ViewSchema{"exception_paths",
               "exceptions with names: recording, type, thrown_in, caught_in, count, per_second, "
               "throws, unhandled, swallowed, total_ns, message, path",
               R"(SELECT e.recording, t.name AS type, s.name AS thrown_in, c.name AS caught_in,
       e.count, e.count * 1e9 / nullif(r.duration_ns, 0) AS per_second, e.throws,
       e.unhandled, e.swallowed, e.total_ns, e.message, k.path
FROM exceptions e
JOIN recordings r ON r.recording = e.recording
LEFT JOIN types t ON t.recording = e.recording AND t.type = e.type
LEFT JOIN stacks k ON k.recording = e.recording AND k.stack = e.stack
LEFT JOIN methods s ON s.recording = k.recording AND s.method = k.site
LEFT JOIN methods c ON c.recording = e.recording AND c.method = e.catcher)"},
    ViewSchema{"exceptions_by_place",
               "exceptions by type and site: recording, type, site, paths, count, per_second, "
               "throws, unhandled, swallowed, total_ns",
               R"(SELECT e.recording, t.name AS type, s.name AS site, count(*) AS paths,
       sum(e.count) AS count, sum(e.count) * 1e9 / nullif(r.duration_ns, 0) AS per_second,
       sum(e.throws) AS throws, sum(e.unhandled) AS unhandled, sum(e.swallowed) AS swallowed,
       sum(e.total_ns) AS total_ns
FROM exceptions e
JOIN recordings r ON r.recording = e.recording
LEFT JOIN types t ON t.recording = e.recording AND t.type = e.type
LEFT JOIN stacks k ON k.recording = e.recording AND k.stack = e.stack
LEFT JOIN methods s ON s.recording = k.recording AND s.method = k.site
GROUP BY e.recording, t.name, s.name, r.duration_ns)"},
    ViewSchema{"waits_by_method",
               "recording, method (that waits), kind, waits, total_ns, longest_ns",
               R"(SELECT w.recording, coalesce(m.name, '?') AS method, w.kind,
       sum(w.waits) AS waits, sum(w.total_ns) AS total_ns, max(w.longest_ns) AS longest_ns
FROM wait_places w
LEFT JOIN stacks k ON k.recording = w.recording AND k.stack = w.stack
LEFT JOIN methods m ON m.recording = k.recording AND m.method = k.site
GROUP BY w.recording, m.name, w.kind)"},
    ViewSchema{"pauses_by_kind",
               "recording, kind, pauses, total_ns, longest_ns, share (of the recording's time)",
               R"(SELECT p.recording, p.kind, count(*) AS pauses, sum(p.duration_ns) AS total_ns,
       max(p.duration_ns) AS longest_ns,
       1.0 * sum(p.duration_ns) / nullif(r.duration_ns, 0) AS share
FROM pauses p JOIN recordings r ON r.recording = p.recording
GROUP BY p.recording, p.kind, r.duration_ns)"},
    ViewSchema{
        "heap_by_type",
        "heap_types with names: recording, snapshot, type, objects, bytes, retained_bytes",
        R"(SELECT h.recording, h.snapshot, t.name AS type, h.objects, h.bytes, h.retained_bytes
FROM heap_types h
JOIN types t ON t.recording = h.recording AND t.type = h.type)"},
};

}  // namespace

std::span<const ViewSchema> Views() { return kViews; }

}  // namespace hindsight::analyzer
