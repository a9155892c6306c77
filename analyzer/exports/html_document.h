// HTML documents with data from a recording: a document with marks, {{name}}, in place of texts,
// and JSON in an element, `<script type="application/json">`.
#pragma once

#include <string_view>

#include "analyzer/exports/byte_sink.h"

namespace hindsight::analyzer {

// Writes a document piece by piece. `document` and `sink` must outlive this.
class HtmlDocument {
 public:
  HtmlDocument(std::string_view document, const ByteSink& sink) : rest_(document), sink_(sink) {}

  // Writes everything before the next `mark`, and skips the mark. False: it could not be written.
  bool UpTo(std::string_view mark);
  bool Finish() { return sink_(rest_); }

 private:
  std::string_view rest_;
  const ByteSink& sink_;
};

// JSON contains `<` only inside texts, where it may be written as \u003c; and a document's script
// ends at the first "</script", wherever that is. JSON may be split anywhere.
bool WriteWithoutTags(std::string_view json, const ByteSink& sink);

}  // namespace hindsight::analyzer
