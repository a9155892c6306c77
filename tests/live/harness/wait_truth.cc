#include "tests/live/harness/wait_truth.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

using nlohmann::json;

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A member: where it is, what it holds and what it waits for.
struct Member {
  std::string method;
  std::multiset<std::string> holds = {};
  std::string waits_for = {};
};

std::string Text(const std::string& kind, uint64_t victims, const std::vector<Member>& members) {
  std::multiset<std::string> lines;
  for (const Member& member : members) {
    std::string line = "  " + member.method + " holds [";
    for (const std::string& held : member.holds) line += held + ';';
    lines.insert(line + "] and waits for " + member.waits_for + '\n');
  }
  std::string text = kind + " with " + std::to_string(victims) + " behind it:\n";
  for (const std::string& line : lines) text += line;
  return text;
}

enum class Types { kNamed, kUnknown };

std::string TruthOf(const json& deadlock, Types types) {
  const auto thing = [types](const json& pair) {
    const std::string kind = pair.at(0).get<std::string>() + ' ';
    return types == Types::kNamed ? kind + pair.at(1).get<std::string>() : kind;
  };
  std::vector<Member> members;
  for (const json& one : deadlock.at("members")) {
    Member member{.method = one.at("method"), .waits_for = thing(one.at("waits_for"))};
    for (const json& held : one.at("holds")) member.holds.insert(thing(held));
    members.push_back(std::move(member));
  }
  return Text(deadlock.at("kind"), deadlock.at("victims"), members);
}

std::string StringOf(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? "" : found->get<std::string>();
}

std::string TargetOf(const json& thing, Types types) {
  if (thing.is_null()) return "nothing";
  const std::string kind = StringOf(thing, "kind") + ' ';
  return types == Types::kNamed ? kind + StringOf(thing, "type") : kind;
}

std::string ReportOf(const json& deadlock, Types types) {
  std::vector<Member> members;
  for (const json& one : deadlock.at("members")) {
    Member member{.method = OwnMethod(one.at("stack")),
                  .waits_for = TargetOf(one.at("waits_for"), types)};
    if (member.method.empty() && one.contains("task") && one.at("task").is_object()) {
      member.method = StringOf(one.at("task"), "type");
    }
    for (const json& held : one.at("holds")) member.holds.insert(TargetOf(held, types));
    members.push_back(std::move(member));
  }
  return Text(deadlock.at("kind"), deadlock.at("victims"), members);
}

Texts ReportsOf(const json& report, Types types) {
  Texts texts;
  for (const json& deadlock : report.at("deadlocks")) texts.insert(ReportOf(deadlock, types));
  return texts;
}

WaitCase Case(const std::string& sample, const json& truth) {
  WaitCase result{.sample = sample, .name = truth.at("name"), .arguments = {sample}};
  for (std::string& word : Words(truth.at("arguments"))) {
    result.arguments.push_back(std::move(word));
  }
  result.runtimes =
      truth.value("runtimes", std::vector<int>(std::begin(kRuntimes), std::end(kRuntimes)));
  result.blocked = truth.value("blocked", std::map<std::string, uint64_t>{});
  for (const json& deadlock : truth.at("deadlocks")) {
    const int times = deadlock.value("times", 1);
    for (int i = 0; i < times; ++i) {
      result.deadlocks.insert(TruthOf(deadlock, Types::kNamed));
      result.deadlocks_without_types.insert(TruthOf(deadlock, Types::kUnknown));
    }
  }
  for (const json& tasks : truth.value("tasks", json::array())) {
    result.tasks.push_back({.count = tasks.at("count"),
                            .stack = tasks.at("stack"),
                            .awaits = tasks.at("awaits"),
                            .holder = tasks.at("holder")});
  }
  for (const json& finding : truth.value("findings", json::array())) {
    result.findings.push_back({finding.at("kind"), finding.at("count"), finding.at("method")});
  }
  const json pool = truth.value("pool", json::object());
  result.pool = pool.value("verdict", "");
  result.pool_blocked_in = pool.value("blocking", "");
  for (const json& lock : truth.value("locks", json::array())) {
    result.locks.emplace_back(lock.at(0), lock.at(1));
  }
  for (const json& signal : truth.value("signals", json::array())) {
    result.signals.insert(signal.dump());
  }
  return result;
}

std::string WithoutParameters(const std::string& frame) { return frame.substr(0, frame.find('(')); }

}  // namespace

bool WaitCase::RunsOn(int runtime) const {
  return std::ranges::find(runtimes, runtime) != runtimes.end();
}

std::vector<WaitCase> WaitCases(const std::string& sample) {
  std::ifstream stream(std::string(HINDSIGHT_SOURCE_DIR "/samples/") + sample + "/truth.json");
  const json truth = json::parse(stream);
  std::vector<WaitCase> cases;
  for (const json& one : truth.at("cases")) cases.push_back(Case(sample, one));
  return cases;
}

WaitCase WaitCaseOf(const std::string& sample, const std::string& name) {
  for (WaitCase& one : WaitCases(sample)) {
    if (one.name == name) return std::move(one);
  }
  throw std::invalid_argument(sample + " has no case " + name);
}

std::vector<std::string> Together(const std::vector<WaitCase>& cases) {
  std::vector<std::string> arguments;
  for (const WaitCase& one : cases) {
    if (!arguments.empty()) arguments.emplace_back("+");
    arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
  }
  return arguments;
}

Texts DeadlocksOf(const std::vector<WaitCase>& cases) {
  Texts texts;
  for (const WaitCase& one : cases) texts.insert(one.deadlocks.begin(), one.deadlocks.end());
  return texts;
}

Texts DeadlocksWithoutTypesOf(const std::vector<WaitCase>& cases) {
  Texts texts;
  for (const WaitCase& one : cases) {
    texts.insert(one.deadlocks_without_types.begin(), one.deadlocks_without_types.end());
  }
  return texts;
}

Texts DeadlocksIn(const json& report) { return ReportsOf(report, Types::kNamed); }
Texts DeadlocksWithoutTypesIn(const json& report) { return ReportsOf(report, Types::kUnknown); }

Texts SignalsIn(const json& report) {
  Texts texts;
  for (const json& signal : report.at("signals")) {
    texts.insert(json{signal.at("kind"), signal.at("name"), signal.at("at"), signal.at("missing"),
                      signal.at("of")}
                     .dump());
  }
  return texts;
}

std::string BrokenCycles(const json& report) {
  std::string broken;
  for (const json& deadlock : report.at("deadlocks")) {
    if (deadlock.at("kind") != "lock cycle") continue;
    std::set<std::string> held;
    for (const json& member : deadlock.at("members")) {
      for (const json& thing : member.at("holds")) held.insert(StringOf(thing, "object"));
    }
    for (const json& member : deadlock.at("members")) {
      if (member.at("waits_for").at("kind") == "thread") continue;  // nobody holds it
      const std::string object = StringOf(member.at("waits_for"), "object");
      if (!held.contains(object)) broken += "no member holds " + object + "\n";
    }
  }
  return broken;
}

bool HasMethod(const json& frames, std::string_view method) {
  return std::ranges::any_of(frames, [&](const json& frame) {
    return WithoutParameters(frame.get<std::string>()) == method;
  });
}

std::string OwnMethod(const json& frames) {
  for (const json& frame : frames) {
    const std::string method = WithoutParameters(frame.get<std::string>());
    const std::string space = method.substr(0, method.find('.'));
    if (std::ranges::find(kWaitSamples, space) != kWaitSamples.end()) return method;
  }
  return {};
}

}  // namespace hindsight::live
