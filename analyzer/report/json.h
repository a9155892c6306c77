// What the JSON reports share. Keys keep their order; texts are made valid UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "analyzer/model/model.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

using Json = nlohmann::ordered_json;

// Version of the schemas below: raised when a key changes its meaning or goes away, not when one is
// added.
inline constexpr int kJsonSchema = 1;

Json JsonText(std::string_view text);

// {"application", "pid", "runtime", "started_unix_ns", "first_ns", "last_ns", "end", "closed",
//  "losses": {...counts...}, "notes": [sentences]}
// `end`: "broke_off" | "process_exit" | "stopped" | "duration_over" | "failed" | "cut" | "unknown".
Json JsonRecording(const Model& model);

// {"id", "os_id", "name"}; null where the thread is unknown.
Json JsonThread(const Model& model, ThreadIndex thread);

// Adds "file", "line" and "url" to what says where something is in the code. Null: unknown.
void AddJsonLine(Json& place, const SourceLine& line);
// What could not be told of lines: sentences.
Json JsonLineNotes(const Lines& lines);

// Indented, with a final newline; safe on a terminal (EscapedJson).
std::string JsonDump(const Json& json);

}  // namespace hindsight::analyzer
