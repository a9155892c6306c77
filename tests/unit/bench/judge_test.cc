// When a finding counts as the truth, and when it is false.
#include "bench/verdicts/judge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hindsight::bench {
namespace {

using Kind = Verdict::Kind;

Truth Lock() {
  return {.problem = "lock-sleep",
          .signals = {"locks"},
          .names = {"StockBook.Count"},
          .also = {{"pool", {"StockBook.Count"}}},
          .reports = {"start", "diff"}};
}

Said Warning(std::string signal, std::string title, std::string text = "") {
  return {"warning", std::move(signal), std::move(title), std::move(text)};
}

TEST(BenchJudge, NamesAreWhole) {
  EXPECT_TRUE(HasName("Shop.StockBook.Count waits", "StockBook.Count"));
  EXPECT_TRUE(HasName("static Visits.bySession_ -> Visit", "Visit"));
  EXPECT_FALSE(HasName("static Visits.bySession_", "Visit"));
  EXPECT_FALSE(HasName("Shop.StockBook.Counter", "StockBook.Count"));
  EXPECT_FALSE(HasName("Shop.OldStockBook.Count", "StockBook.Count"));
  EXPECT_TRUE(HasName("in System.Text.RegularExpressions.Regex.Match", "RegularExpressions."));
  EXPECT_FALSE(HasName("anything", ""));
}

TEST(BenchJudge, TheTruthIsKnownByItsNameInTheTitle) {
  const std::vector<Said> said = {Warning("locks", "wait in Shop.StockBook.Count")};
  EXPECT_EQ(JudgeFindings(Lock(), "start", said).kind, Kind::kFirst);
  const std::vector<Said> aside = {Warning("locks", "wait", "not in Shop.StockBook.Count")};
  const Verdict verdict = JudgeFindings(Lock(), "start", aside);
  EXPECT_EQ(verdict.kind, Kind::kMissed);
  EXPECT_EQ(verdict.wrong.size(), 1u);
}

TEST(BenchJudge, ANoteIsNotEnoughWhereTheDataJustifyAWarning) {
  Truth truth = Lock();
  const std::vector<Said> said = {{"note", "locks", "wait in Shop.StockBook.Count"}};
  EXPECT_EQ(JudgeFindings(truth, "start", said).kind, Kind::kNote);
  truth.notes = {"start"};
  EXPECT_EQ(JudgeFindings(truth, "start", said).kind, Kind::kFirst);
}

TEST(BenchJudge, WhereThereIsNoProcessorANoteAboutWaitsIsEnough) {
  Truth truth = Lock();
  const std::vector<Said> said = {{"note", "cpu", "Threads wait for a processor: on average 3"},
                                  {"note", "locks", "wait in Shop.StockBook.Count"}};
  EXPECT_EQ(JudgeFindings(truth, "start", said).kind, Kind::kSecond);
  truth.signals = {"exceptions"};
  const std::vector<Said> other = {said[0], {"note", "exceptions", "StockBook.Count"}};
  EXPECT_EQ(JudgeFindings(truth, "start", other).kind, Kind::kNote);
}

TEST(BenchJudge, TheEvidenceHasToBeReported) {
  Truth truth = Lock();
  truth.evidence = {"StockBook.Fetch"};
  EXPECT_EQ(JudgeFindings(truth, "start",
                          std::vector<Said>{Warning("locks", "StockBook.Count", "it sleeps")})
                .kind,
            Kind::kMissed);
  EXPECT_EQ(JudgeFindings(
                truth, "start",
                std::vector<Said>{Warning("locks", "StockBook.Count", "StockBook.Fetch sleeps")})
                .kind,
            Kind::kFirst);
}

TEST(BenchJudge, WhatFollowsFromItHasToNameItAsWell) {
  const std::vector<Said> said = {
      Warning("locks", "wait in StockBook.Count"), Warning("pool", "starves in StockBook.Count"),
      Warning("pool", "starves in Mail.Send"), Warning("heap", "leak of StockBook.Count")};
  const Verdict verdict = JudgeFindings(Lock(), "start", said);
  EXPECT_EQ(verdict.place, 1u);
  EXPECT_EQ(verdict.wrong.size(), 2u);
}

TEST(BenchJudge, ASecondReportIsFalseWhereItIsOneThing) {
  Truth truth = Lock();
  const std::vector<Said> said = {Warning("locks", "wait in StockBook.Count"),
                                  Warning("locks", "StockBook.Count again")};
  EXPECT_TRUE(JudgeFindings(truth, "start", said).wrong.empty());
  truth.once = true;
  EXPECT_EQ(JudgeFindings(truth, "start", said).wrong.size(), 1u);
}

TEST(BenchJudge, WhatTheDataCannotShowIsNotMissed) {
  EXPECT_EQ(JudgeFindings(Lock(), "snapshot", {}).kind, Kind::kCannot);
  EXPECT_EQ(JudgeFindings(Lock(), "start", {}).kind, Kind::kMissed);
}

TEST(BenchJudge, ADifferenceHasItsDirection) {
  const std::vector<Said> worse = {{"worse", "locks", "StockBook.Count"}};
  const std::vector<Said> better = {{"better", "locks", "StockBook.Count"}};
  EXPECT_EQ(JudgeDifferences(Lock(), "diff", true, worse).kind, Kind::kFirst);
  EXPECT_EQ(JudgeDifferences(Lock(), "diff", false, better).kind, Kind::kFirst);
  for (const bool is_after : {true, false}) {
    const Verdict verdict = JudgeDifferences(Lock(), "diff", is_after, is_after ? better : worse);
    EXPECT_EQ(verdict.kind, Kind::kMissed);
    EXPECT_EQ(verdict.wrong.size(), 1u);
  }
  const std::vector<Said> other = {{"worse", "cpu", "Mail.Send"}};
  EXPECT_EQ(JudgeDifferences(Lock(), "diff", true, other).wrong.size(), 1u);
}

TEST(BenchJudge, OfTwoThatAreEqualNothingIsToBeSaid) {
  EXPECT_TRUE(JudgeEqual({}).wrong.empty());
  EXPECT_EQ(JudgeEqual(std::vector<Said>{{"better", "cpu", "Mail.Send"}}).wrong.size(), 1u);
}

TEST(BenchJudge, OfAllAtOnceEachWarningIsSomeones) {
  const std::vector<Truth> truths = {Lock(),
                                     {.problem = "leak", .signals = {"heap"}, .names = {"Visit"}}};
  const std::vector<Said> said = {Warning("locks", "StockBook.Count"),
                                  Warning("heap", "Leak: Shop.Visit"),
                                  Warning("heap", "Leak: Shop.Order"),
                                  {"note", "cpu", "Shop.Search"}};
  EXPECT_EQ(WrongForAll(truths, said).size(), 1u);
}

}  // namespace
}  // namespace hindsight::bench
