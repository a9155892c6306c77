// How a text report looks: width, colors, characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/base/wrap.h"  // TextColumns, PadLeft, PadRight, Wrap

namespace hindsight::analyzer {

struct TextStyle {
  size_t width = 100;    // columns
  bool colours = false;  // escape sequences
  bool unicode = true;   // block characters for rates, ellipses
  bool shortens = true;  // what is too long for its place; otherwise it is written in full
};

// For `descriptor`: the width of the terminal (60 to 200), or 100 if it is not a terminal; colors
// on a terminal unless NO_COLOR is set; plain characters on a terminal whose locale is not UTF-8.
// Nothing is shortened if it is not a terminal.
TextStyle DetectTextStyle(int descriptor);

enum class Tone { kBad, kWarning, kStrong, kFaint };
std::string Paint(const TextStyle& style, Tone tone, std::string_view text);

// `text` within at most `columns`. A name first loses its namespaces, from the left:
// Shop.Payments.Gateway.Charge becomes ...Payments.Gateway.Charge, then ...Gateway.Charge. What is
// still too long is cut in its middle, preserving more of its end, and at a dot if there is one
// nearby.
std::string ShortenMiddle(const TextStyle& style, std::string_view text, size_t columns);

// `text` cut at its end.
std::string ShortenEnd(const TextStyle& style, std::string_view text, size_t columns);

// One character per value, relative to the largest; a value above zero is always visible.
std::string Sparkline(const TextStyle& style, std::span<const double> values);

}  // namespace hindsight::analyzer
