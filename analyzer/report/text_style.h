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
  bool shortens = true;  // what is too long for its place; else it is given whole
};

// For `descriptor`: the width of the terminal (at least 60, at most 200), or 100 where it is none;
// colors on a terminal without NO_COLOR; plain characters on a terminal whose locale is not UTF-8.
// Nothing is shortened where there is no terminal.
TextStyle DetectTextStyle(int descriptor);

enum class Tone { kBad, kWarning, kStrong, kFaint };
std::string Paint(const TextStyle& style, Tone tone, std::string_view text);

// `text` with at most `columns`. A name loses its namespaces first, from the left: Gateway.Charge
// of Shop.Payments.Gateway.Charge becomes ...Payments.Gateway.Charge, then ...Gateway.Charge. What
// is still too long is cut in its middle, in favour of its end and at a dot where one is near.
std::string ShortenMiddle(const TextStyle& style, std::string_view text, size_t columns);

// `text` cut at its end.
std::string ShortenEnd(const TextStyle& style, std::string_view text, size_t columns);

// One character a value, relative to the largest; a value above zero is never shown as nothing.
std::string Sparkline(const TextStyle& style, std::span<const double> values);

}  // namespace hindsight::analyzer
