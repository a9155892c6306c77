// What budgets may contain, and what is reported about those that cannot be read.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "analyzer/budgets/budget_file.h"
#include "analyzer/budgets/measure_phrases.h"
#include "analyzer/budgets/rule.h"

namespace hindsight::analyzer {
namespace {

BudgetRule Parsed(std::string_view text) {
  const std::variant<BudgetRule, RuleError> parsed = ParseRule(text);
  if (const RuleError* const error = std::get_if<RuleError>(&parsed)) {
    ADD_FAILURE() << text << ": " << error->sentence;
    return {};
  }
  return std::get<BudgetRule>(parsed);
}

RuleError Refused(std::string_view text) {
  const std::variant<BudgetRule, RuleError> parsed = ParseRule(text);
  if (std::holds_alternative<BudgetRule>(parsed)) {
    ADD_FAILURE() << text << " was accepted";
    return {};
  }
  return std::get<RuleError>(parsed);
}

void Expect(std::string_view text, std::string_view name, std::string_view subject_kind,
            std::string_view subject, Bound bound, double limit) {
  const BudgetRule rule = Parsed(text);
  ASSERT_NE(rule.kind, nullptr) << text;
  EXPECT_EQ(rule.kind->name, name) << text;
  EXPECT_EQ(rule.kind->subject, subject_kind) << text;
  EXPECT_EQ(rule.subject, subject) << text;
  EXPECT_EQ(rule.bound, bound) << text;
  EXPECT_DOUBLE_EQ(rule.limit.amount, limit) << text;
}

TEST(Quantities, AreReadWithTheirUnits) {
  const auto value = [](std::string_view text) {
    const std::optional<Quantity> quantity = ParseQuantity(text);
    return quantity ? quantity->value : -1;
  };
  EXPECT_DOUBLE_EQ(value("50 MB"), 50e6);
  EXPECT_DOUBLE_EQ(value("50MiB"), 50 * 1024.0 * 1024);
  EXPECT_DOUBLE_EQ(value("1,500 kb"), 1.5e6);
  EXPECT_DOUBLE_EQ(value("20 ms"), 20e6);
  EXPECT_DOUBLE_EQ(value("1.5h"), 1.5 * 3600e9);
  EXPECT_DOUBLE_EQ(value("12.5 %"), 0.125);
  EXPECT_DOUBLE_EQ(value("5/s"), 5);
  EXPECT_DOUBLE_EQ(value("10 MB/s"), 10e6);
  EXPECT_DOUBLE_EQ(value("2e3"), 2000);
  for (const char* text :
       {"", "MB", "5 apples", "5 ms/s", "1.2.3", "5,,0", "0x10", "nan", "1e999", "--5", "5 %/s"}) {
    EXPECT_FALSE(ParseQuantity(text)) << text;
  }
}

TEST(Quantities, AreShownAsTheLimitWasWritten) {
  const NumberStyle mb = ParseQuantity("50 MB")->style;
  EXPECT_EQ(FormatMeasure(61.24e6, Unit::kBytes, mb), "61.2 MB");
  EXPECT_EQ(FormatMeasure(12, Unit::kBytes, mb), "12 bytes");  // 0.000012 MB would be useless
  EXPECT_EQ(FormatMeasure(2e6, Unit::kNanoseconds), "2.0 ms");
  EXPECT_EQ(FormatMeasure(1234567, Unit::kCount), "1,234,567");
  EXPECT_EQ(FormatMeasure(4.5, Unit::kPerSecond), "4.5/s");
  EXPECT_EQ(FormatMeasure(50'000'001, Unit::kBytes, mb, true), "50.000001 MB");
}

TEST(Rules, ReadTheWordsThatPeopleUse) {
  Expect("deadlocks = 0", "deadlocks.count", "", "", Bound::kEqual, 0);
  Expect("retained of type X < 50 MB", "heap.retained", "type", "X", Bound::kLess, 50e6);
  Expect("exceptions/s < 5", "exceptions.per_second", "", "", Bound::kLess, 5);
  Expect("p99 GC pause < 20 ms", "gc.pause.p99", "", "", Bound::kLess, 20e6);
  Expect("differences worse = 0", "differences.worse", "", "", Bound::kEqual, 0);
}

TEST(Rules, ReadNamesOfMeasures) {
  Expect("gc.pause.p99<20ms", "gc.pause.p99", "", "", Bound::kLess, 20e6);
  Expect("heap.retained of type Shop.Order <= 1 GiB", "heap.retained", "type", "Shop.Order",
         Bound::kAtMost, 1024.0 * 1024 * 1024);
  Expect("  pool.stalled   ==  0 ", "pool.stalled", "", "", Bound::kEqual, 0);
  Expect("recorder.cores \u2264 0.01", "recorder.cores", "", "", Bound::kAtMost, 0.01);
}

TEST(Rules, LetTheUnitDecideWhatIsMeant) {
  Expect("cpu of method A.B < 5 %", "cpu.share", "method", "A.B", Bound::kLess, 0.05);
  Expect("cpu of method A.B < 2 s", "cpu.time", "method", "A.B", Bound::kLess, 2e9);
  Expect("cpu of method A.B < 0.5", "cpu.cores", "method", "A.B", Bound::kLess, 0.5);
  Expect("exceptions < 5/s", "exceptions.per_second", "", "", Bound::kLess, 5);
  Expect("exceptions < 5", "exceptions.count", "", "", Bound::kLess, 5);
}

TEST(Rules, TakeSubjectsWithBracketsAndBlanks) {
  Expect("retained of type List<Shop.Order> < 1 MB", "heap.retained", "type", "List<Shop.Order>",
         Bound::kLess, 1e6);
  Expect("objects of type Dictionary<string, Item>.Entry[] >= 1", "heap.objects", "type",
         "Dictionary<string, Item>.Entry[]", Bound::kAtLeast, 1);
  Expect("cpu of method \"A < B\" < 5 %", "cpu.share", "method", "A < B", Bound::kLess, 0.05);
  Expect("cpu of method A.op_LessThan > 5 %", "cpu.share", "method", "A.op_LessThan", Bound::kMore,
         0.05);
}

TEST(Rules, CompareWithTheBaseline) {
  const BudgetRule ratio = Parsed("cpu of method Shop.Cart.Add <= 110 % of baseline");
  EXPECT_EQ(ratio.kind->name, "cpu.cores");
  EXPECT_DOUBLE_EQ(ratio.limit.factor, 1.1);
  EXPECT_DOUBLE_EQ(ratio.limit.amount, 0);
  const BudgetRule same = Parsed("heap.bytes <= baseline");
  EXPECT_DOUBLE_EQ(same.limit.factor, 1);
  const BudgetRule more = Parsed("heap.bytes <= baseline + 5 MB");
  EXPECT_DOUBLE_EQ(more.limit.amount, 5e6);
  EXPECT_DOUBLE_EQ(Parsed("heap.bytes < baseline + 10 %").limit.factor, 1.1);
}

TEST(Rules, SayWhatIsWrongAndWhere) {
  const RuleError unknown = Refused("retaind of type X < 50 MB");
  EXPECT_EQ(unknown.at, 0u);
  EXPECT_NE(unknown.sentence.find("did you mean 'retained of type'?"), std::string::npos)
      << unknown.sentence;
  const RuleError unit = Refused("p99 GC pause < 20 MB");
  EXPECT_EQ(unit.at, 15u);
  EXPECT_NE(unit.sentence.find("such as 20 ms"), std::string::npos) << unit.sentence;
  EXPECT_EQ(Refused("deadlocks = none").at, 12u);
  EXPECT_NE(Refused("deadlocks").sentence.find("no comparison"), std::string::npos);
  EXPECT_NE(Refused("").sentence.find("no comparison"), std::string::npos);
  // A share without % would be ambiguous.
  EXPECT_NE(Refused("gc.pause.share < 5").sentence.find("such as 5 %"), std::string::npos);
  // Without spaces, the end of the name is ambiguous.
  EXPECT_NE(Refused("retained of type X<5 MB").sentence.find("spaces"), std::string::npos);
  EXPECT_NE(Refused("heap.bytes < twice the baseline").sentence.find("110 % of baseline"),
            std::string::npos);
  EXPECT_NE(Refused("retained of type < 5 MB").sentence.find("expects a name"), std::string::npos);
  EXPECT_NE(Refused(std::string(5000, '<')).sentence.find("too long"), std::string::npos);
}

TEST(MeasurePhrases, StandForMeasuresThatThereAre) {
  for (const MeasurePhrase& phrase : MeasurePhrases()) {
    for (const std::string_view name : phrase.names) {
      EXPECT_NE(FindMeasureKind(name, phrase.subject), nullptr) << phrase.phrase << ": " << name;
    }
    EXPECT_EQ(FindMeasureKind(phrase.phrase, phrase.subject), nullptr) << phrase.phrase;
    EXPECT_EQ(KindsCalled(phrase.phrase, phrase.subject).size(), phrase.names.size());
  }
}

TEST(BudgetFile, IsReadInItsOrder) {
  const auto budgets = ParseBudgets(
      "# what the service promises\n"
      "[budgets]\n"
      "\"no deadlocks\" = \"deadlocks = 0\"\n"
      "memory = 'retained of type \"X\" < 50 MB'\n"
      "calm = { rule = \"exceptions/s < 5\", optional = true }\n",
      "budgets.toml");
  ASSERT_TRUE(budgets) << budgets.error().sentence;
  ASSERT_EQ(budgets->size(), 3u);
  EXPECT_EQ((*budgets)[0].name, "no deadlocks");
  EXPECT_EQ((*budgets)[1].rule.subject, "X");
  EXPECT_EQ((*budgets)[2].name, "calm");
  EXPECT_TRUE((*budgets)[2].optional);
  EXPECT_EQ((*budgets)[2].line, 5u);
}

TEST(BudgetFile, NeedsNoNames) {
  const auto budgets =
      ParseBudgets("budgets = [\"deadlocks = 0\", \"p99 GC pause < 20 ms\"]", "budgets.toml");
  ASSERT_TRUE(budgets) << budgets.error().sentence;
  EXPECT_EQ((*budgets)[1].name, "p99 GC pause < 20 ms");
}

TEST(BudgetFile, ReportsAllMistakesWithTheirPlaces) {
  const auto sentence = [](std::string_view toml) {
    const auto budgets = ParseBudgets(toml, "b.toml");
    return budgets ? std::string("accepted") : budgets.error().sentence;
  };
  EXPECT_TRUE(sentence("[budgets]\na = \"deadlocks = 0\"\nb = \"heap < 5 ms\"\nc = \"x\"\n")
                  .starts_with("b.toml:3:13: '5 ms' does not fit 'heap': write a size"))
      << sentence("[budgets]\na = \"deadlocks = 0\"\nb = \"heap < 5 ms\"\nc = \"x\"\n");
  const std::string three = sentence("[budgets]\nb = \"heap < 5 ms\"\na = 5\n[other]\n");
  EXPECT_NE(three.find("b.toml:2:13: '5 ms'"), std::string::npos) << three;
  EXPECT_NE(three.find("\nb.toml:3:5: A rule is a string"), std::string::npos) << three;
  EXPECT_NE(three.find("\nb.toml:4:2: 'other' is unknown"), std::string::npos) << three;
  EXPECT_TRUE(sentence("[budgets]\na = deadlocks\n").starts_with("b.toml:2:5: Not valid TOML"));
  EXPECT_TRUE(sentence("[\x1b\x1b]\n").starts_with("b.toml:1:2: Not valid TOML"));
  // toml++ would treat these letters as invalid white space.
  EXPECT_TRUE(sentence("# \u00fc\n\u00d5 = 1\n").starts_with("b.toml:2:1: Not valid TOML"));
  EXPECT_TRUE(sentence("'\u00fc' \u00d5\n").starts_with("b.toml:1:5: Not valid TOML"));
  EXPECT_TRUE(sentence("a = \"\\\"\u00fc\"\u00d5\n").starts_with("b.toml:1:10: Not valid TOML"));
  EXPECT_TRUE(
      ParseBudgets("\xEF\xBB\xBF[budgets] # \u00fc\n'\u00fc' = \"deadlocks = 0\"\n"
                   "b = '''deadlocks = 0'''\n\"\u00d5\" = \"deadlocks = 0\" # \"\n",
                   "b.toml"));
  EXPECT_TRUE(sentence("[budgets]\na = 5\n").starts_with("b.toml:2:5: A rule is a string"));
  EXPECT_TRUE(sentence("[budget]\n").starts_with("b.toml:1:2: 'budget' is unknown"));
  EXPECT_TRUE(sentence("").starts_with("b.toml:1:1: There are no budgets."));
  EXPECT_TRUE(sentence("[budgets]\n").starts_with("b.toml:1:1: There are no budgets."));
  EXPECT_TRUE(sentence("budgets = 5\n").starts_with("b.toml:1:11: A budget file has"));
  EXPECT_NE(sentence("[budgets]\na = { optional = true }\n").find("has no rule"),
            std::string::npos);
  EXPECT_NE(sentence("[budgets]\na = { rule = \"deadlocks = 0\", optionl = true }\n")
                .find("'optionl' is unknown"),
            std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
