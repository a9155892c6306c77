// What the reports on heaps share: title, what is missing, paths, hints on what to do next.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/heap_graph.h"
#include "analyzer/report/json.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// Shop (pid 4242, .NET 10.0.1), snapshot 1, 2026-11-21T10:15:30.123Z
std::string HeapTitle(const HeapModel& model);

// Sentences: what is missing, and what that means for the numbers. Empty: nothing is missing.
std::vector<std::string> HeapNotes(const HeapModel& model);

// `what` and the title, a blank line, then the notes and another blank line if there are any notes.
std::string HeapHead(std::string_view what, const HeapModel& model, const TextStyle& style);

// "Next: ...", wrapped.
std::string NextHint(std::string_view text, const TextStyle& style);

// static Shop.Cache._items -> Dictionary<string, Item>._entries -> Item
std::string PathText(std::span<const std::string> parts);

// The same in one line: parts in the middle are replaced by "..." if it is too long.
std::string PathLine(std::span<const std::string> parts, size_t columns, const TextStyle& style);

// `text` wrapped and indented, as used below a title.
std::string Paragraph(std::string_view text, const TextStyle& style);

// A type's name for a table: without namespaces if it would take more than its share of a line.
std::string TypeCell(const HeapModel& model, TypeId type, const TextStyle& style);

std::string PercentOf(uint64_t part, uint64_t whole);

Json JsonTexts(std::span<const std::string> texts);

}  // namespace hindsight::analyzer
