// When a budget is broken, and what is reported about it.
#include <gtest/gtest.h>

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzer/budgets/judge.h"
#include "analyzer/report/budgets/budgets_report.h"

namespace hindsight::analyzer {
namespace {

using State = BudgetVerdict::State;

struct Row {
  std::string_view name, subject_kind;
  std::string subject;
  double value = 0, error = 0;
};

// Everything in `rows` is known, and so are the measures of `also`, which are zero.
Measured MeasuredRows(const std::vector<Row>& rows,
                      const std::vector<std::pair<std::string_view, std::string_view>>& also = {}) {
  std::vector<Measure> measures;
  std::unordered_set<const MeasureKind*> known;
  for (const Row& row : rows) {
    const MeasureKind* const kind = FindMeasureKind(row.name, row.subject_kind);
    measures.push_back({kind, row.subject, row.value, row.error});
    known.insert(kind);
  }
  for (const auto& [name, subject_kind] : also) known.insert(FindMeasureKind(name, subject_kind));
  return Measured(std::move(measures), std::move(known));
}

class Judged {
 public:
  Judged(const std::string& rule, const Measured& measured, const Measured* baseline = nullptr,
         bool optional = false) {
    Budget budget;
    budget.name = "the budget";
    budget.text = rule;
    budget.rule = std::get<BudgetRule>(ParseRule(rule));
    budget.optional = optional;
    budgets_.push_back(std::move(budget));
    verdicts_ = JudgeBudgets(budgets_, measured, baseline);
  }
  Judged(const Judged&) = delete;
  Judged& operator=(const Judged&) = delete;

  const BudgetVerdict* operator->() const { return &verdicts_.front(); }
  const BudgetVerdict& operator*() const { return verdicts_.front(); }

 private:
  std::vector<Budget> budgets_;
  std::vector<BudgetVerdict> verdicts_;
};

TEST(BudgetVerdicts, CompareTheNumberWithTheLimit) {
  const Measured measured = MeasuredRows({{"deadlocks.count", "", "", 1}});
  const std::pair<const char*, State> cases[] = {
      {"deadlocks = 0", State::kBroken}, {"deadlocks = 1", State::kKept},
      {"deadlocks < 1", State::kBroken}, {"deadlocks <= 1", State::kKept},
      {"deadlocks > 1", State::kBroken}, {"deadlocks >= 1", State::kKept},
      {"deadlocks != 1", State::kBroken}};
  for (const auto& [rule, state] : cases) {
    EXPECT_EQ(Judged(rule, measured)->state, state) << rule;
  }
}

TEST(BudgetVerdicts, TakeTheWorstThatAPatternNames) {
  const Measured measured = MeasuredRows({{"heap.retained", "type", "Shop.Order", 10e6},
                                          {"heap.retained", "type", "Shop.Basket", 60e6},
                                          {"heap.retained", "type", "Bank.Account", 90e6}});
  const Judged most("retained of type Shop.* < 50 MB", measured);
  EXPECT_EQ(most->state, State::kBroken);
  EXPECT_EQ(most->measured->subject, "Shop.Basket");
  EXPECT_EQ(most->matches, 2u);
  const Judged least("retained of type Shop.* > 20 MB", measured);
  EXPECT_EQ(least->measured->subject, "Shop.Order");
  EXPECT_EQ(least->state, State::kBroken);
}

TEST(BudgetVerdicts, TakeNamesFromTheirEnd) {
  const Measured measured = MeasuredRows({{"heap.retained", "type", "Shop.PreOrder", 90e6},
                                          {"heap.retained", "type", "Shop.Order", 10e6}});
  const Judged order("retained of type Order < 50 MB", measured);
  EXPECT_EQ(order->state, State::kKept);
  EXPECT_EQ(order->measured->subject, "Shop.Order");
  EXPECT_EQ(Judged("retained of type Shop.PreOrder < 50 MB", measured)->state, State::kBroken);
}

TEST(BudgetVerdicts, SayThatANameDoesNotOccur) {
  const Measured measured = MeasuredRows({{"heap.retained", "type", "Shop.Order", 90e6}});
  const Judged typo("retained of type Shop.Ordr < 50 MB", measured);
  EXPECT_EQ(typo->state, State::kKept);
  EXPECT_EQ(typo->measured->value, 0);
  EXPECT_EQ(typo->reason, "No type of this name is in the recording; did you mean Shop.Order?");
}

TEST(BudgetVerdicts, BreakWhatCouldNotBeLookedAt) {
  const Measured nothing = MeasuredRows({});
  const Judged strict("cpu of method A.B < 5 %", nothing);
  EXPECT_EQ(strict->state, State::kBroken);
  EXPECT_FALSE(strict->measured);
  EXPECT_EQ(strict->reason, "Not recorded: it needs the source `cpu`.");
  EXPECT_EQ(Judged("cpu of method A.B < 5 %", nothing, nullptr, true)->state, State::kSkipped);
  // Recorded, and it did not happen.
  const Measured quiet = MeasuredRows({}, {{"cpu.share", "method"}});
  EXPECT_EQ(Judged("cpu of method A.B < 5 %", quiet)->state, State::kKept);
}

// Such as the mean of requests of which some had not ended.
TEST(BudgetVerdicts, ANumberThatIsNotCertainBreaksThem) {
  const Measured unsure = MeasuredRows({}, {{"requests.time.mean", ""}});
  const Measured sure = MeasuredRows({{"requests.time.mean", "", "", 5e6}});
  EXPECT_EQ(Judged("mean request < 10 ms", unsure)->state, State::kBroken);
  EXPECT_NE(Judged("mean request < 10 ms", unsure)->reason.find("for certain"), std::string::npos);
  EXPECT_EQ(Judged("mean request < 10 ms", unsure, nullptr, true)->state, State::kSkipped);
  EXPECT_EQ(Judged("mean request < baseline + 10 %", sure, &unsure)->state, State::kBroken);
  EXPECT_EQ(Judged("mean request < 10 ms", sure)->state, State::kKept);
}

TEST(BudgetVerdicts, TakeLimitsFromTheSameNameInTheBaseline) {
  const Measured before = MeasuredRows({{"cpu.cores", "method", "Shop.Cart.Add", 0.1},
                                        {"cpu.cores", "method", "Shop.Cart.Sum", 0.5}});
  const Measured after = MeasuredRows({{"cpu.cores", "method", "Shop.Cart.Add", 0.2},
                                       {"cpu.cores", "method", "Shop.Cart.Sum", 0.5}});
  const Judged twice("cpu of method Shop.Cart.* <= 110 % of baseline", after, &before);
  EXPECT_EQ(twice->state, State::kBroken);
  EXPECT_EQ(twice->measured->subject, "Shop.Cart.Add");
  EXPECT_DOUBLE_EQ(*twice->baseline, 0.1);
  EXPECT_DOUBLE_EQ(twice->limit, 0.11);
  EXPECT_EQ(LimitText(*twice), "<= 110 % of baseline: 0.11 cores");
  EXPECT_EQ(Judged("cpu of method Sum <= baseline", after, &before)->state, State::kKept);

  const Judged alone("cpu of method Sum <= baseline", after);
  EXPECT_EQ(alone->state, State::kBroken);
  EXPECT_EQ(alone->reason, "There is no baseline; give one with --baseline.");
  const Measured blind = MeasuredRows({});
  EXPECT_EQ(Judged("cpu of method Sum <= baseline", after, &blind)->reason,
            "The baseline did not record it: it needs the source `cpu`.");
}

TEST(BudgetVerdicts, CountDifferencesByTheirDirection) {
  Comparison comparison;
  Difference worse;
  worse.signal = Signal::kExceptions;
  Difference gone = worse;
  gone.direction = Difference::Direction::kGone;
  Difference slower = worse;
  slower.signal = Signal::kRequests;
  comparison.differences = {worse, gone, slower};
  Measured measured = MeasuredRows({});
  measured.Add(comparison);
  EXPECT_EQ(Judged("differences worse = 0", measured)->measured->value, 2);
  EXPECT_EQ(Judged("differences.better = 1", measured)->state, State::kKept);
  EXPECT_EQ(Judged("differences worse of signal exceptions = 0", measured)->state, State::kBroken);
  EXPECT_EQ(Judged("differences worse of signal requests = 0", measured)->state, State::kBroken);
  EXPECT_EQ(Judged("differences worse of signal cpu = 0", measured)->state, State::kKept);
}

TEST(BudgetVerdicts, ShowTheErrorAndNeverLookKept) {
  const Measured measured = MeasuredRows({{"cpu.share", "method", "A.B", 0.0501, 0.012}});
  const Judged close("cpu of method A.B < 5 %", measured);
  EXPECT_EQ(MeasuredText(*close, {}), "5.01 \u00b11.2 %");
  const Measured equal = MeasuredRows({{"heap.bytes", "", "", 50'000'001}});
  EXPECT_EQ(MeasuredText(*Judged("heap < 50 MB", equal), {}), "50.000001 MB");
}

TEST(BudgetsJunit, IsWellFormedWhateverTheNames) {
  Budget budget;
  budget.name = "a <b> & \"c\"\n\x1b[31m \xff \xef\xbf\xbf";
  budget.text = "deadlocks = 0";
  budget.rule = std::get<BudgetRule>(ParseRule(budget.text));
  const std::vector<Budget> budgets = {budget};
  const Measured measured = MeasuredRows({{"deadlocks.count", "", "", 2}});
  const std::vector<BudgetVerdict> verdicts = JudgeBudgets(budgets, measured, nullptr);
  const std::string xml = BudgetsJunit({.title = "Shop",
                                        .model = nullptr,
                                        .file = "b.toml",
                                        .baseline = "",
                                        .verdicts = verdicts,
                                        .damages = {}});
  EXPECT_NE(xml.find("name=\"a &lt;b&gt; &amp; &quot;c&quot;&#10;\xef\xbf\xbd[31m \xef\xbf\xbd "
                     "\xef\xbf\xbd\""),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""), std::string::npos);
  EXPECT_NE(xml.find("<failure message=\"measured 2, limit = 0\" type=\"budget\">"),
            std::string::npos)
      << xml;
}

}  // namespace
}  // namespace hindsight::analyzer
