// How many lines of a terminal a text takes.
#include <gtest/gtest.h>

#include <string>

#include "analyzer/base/pager.h"

namespace hindsight::analyzer {
namespace {

TEST(TerminalLines, AreThoseThatALongLineIsBrokenInto) {
  EXPECT_EQ(TerminalLines("", 80), 0u);
  EXPECT_EQ(TerminalLines("a\nb\n", 80), 2u);
  EXPECT_EQ(TerminalLines("a\nb", 80), 2u);
  EXPECT_EQ(TerminalLines(std::string(80, 'x') + "\n", 80), 1u);
  EXPECT_EQ(TerminalLines(std::string(81, 'x') + "\n", 80), 2u);
  EXPECT_EQ(TerminalLines(std::string(1000, 'x') + "\n", 0), 1u);
  EXPECT_EQ(TerminalLines("\x1b[1m" + std::string(80, 'x') + "\x1b[0m\n", 80), 1u);
  EXPECT_EQ(TerminalLines("\u2588\u2588\n", 2), 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
