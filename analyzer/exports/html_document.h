// HTML documents whose data comes from a recording: a document with marks, {{name}}, where texts
// go, and JSON in an element of it, `<script type="application/json">`.
#pragma once

#include <string_view>

#include "analyzer/exports/byte_sink.h"

namespace hindsight::analyzer {

// Writes a document piece by piece. `document` and `sink` outlive this.
class HtmlDocument {
 public:
  HtmlDocument(std::string_view document, const ByteSink& sink) : rest_(document), sink_(sink) {}

  // Writes what stands before the next `mark`, which itself is left out. False: it could not be
  // written.
  bool UpTo(std::string_view mark);
  bool Finish() { return sink_(rest_); }

 private:
  std::string_view rest_;
  const ByteSink& sink_;
};

// JSON has `<` only inside of its texts, where it may be written as \u003c; and a document's script
// ends at the first "</script", wherever that stands. Pieces of JSON may be cut anywhere.
bool WriteWithoutTags(std::string_view json, const ByteSink& sink);

}  // namespace hindsight::analyzer
