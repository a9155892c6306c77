#include "analyzer/serve/processes.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "analyzer/base/text.h"
#include "analyzer/base/tool.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

using std::chrono::seconds;

// A choice on the page; each value stands for these arguments, and nothing else comes from the
// page.
struct Option {
  std::string_view value, title;
  std::vector<std::string> arguments;
};
struct Choice {
  std::string_view name;
  std::vector<Option> options;
};
struct Verb {
  std::string_view name, command;
  bool makes_recording = false;
  seconds most_time{};  // longer than the trigger itself waits
  std::vector<Choice> choices;
};

constexpr seconds kListTime{30};
constexpr seconds kStatusTime{10};

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> verbs = {
      {"record",
       "attach",
       true,
       seconds(60),
       {{"what",
         {{"usual", "the usual sources", {}},
          {"requests",
           "the usual ones, requests one by one",
           {"--set", "requests.routes=on", "--set", "requests.details=on"}},
          {"light", "only CPU, collections and exceptions", {"--sources", "cpu,gc,exceptions"}}}},
        {"for",
         {{"stopped", "until stopped", {}},
          {"10s", "for 10 seconds", {"--for", "10s"}},
          {"1m", "for a minute", {"--for", "1m"}},
          {"10m", "for 10 minutes", {"--for", "10m"}},
          {"1h", "for an hour", {"--for", "1h"}}}}}},
      {"snapshot",
       "snapshot",
       true,
       seconds(240),
       {{"of", {{"heap", "Heap snapshot", {}}, {"threads", "Threads", {"--threads"}}}}}},
      {"stop", "stop", false, seconds(60), {}},
  };
  return verbs;
}

Error Misuse(std::string what) { return {std::move(what), ExitCode::kUsage}; }

// The trigger's answer to --json. An error: what it wrote, if that is not JSON.
Result<Json> AnswerOf(const ToolAnswer& output) {
  Json answer = Json::parse(output.out, nullptr, false);
  if (!answer.is_discarded()) return answer;
  const std::string words = output.err.empty() ? output.out : output.err;
  return Error{"hindsight-trigger gave no answer (exit code " + std::to_string(output.exit_code) +
               ")" + (words.empty() ? "." : ": " + ValidUtf8(words))};
}

Json LinesOf(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(JsonText(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string Processes::Unavailable() const {
  if (!trigger_) {
    return "To record processes of this machine from here, install `hindsight-trigger`: it is in "
           "the same package as `hindsight`, and the .NET tool `Hindsight.Trigger.Tool`.";
  }
  if (folder_.empty()) {
    return "To record processes from here, start `hindsight serve` with a folder and not with a "
           "single recording.";
  }
  return {};
}

Result<std::string> Processes::List() {
  Json answer = {
      {"unavailable", Unavailable()}, {"choices", Json::object()}, {"processes", Json::array()}};
  if (answer["unavailable"] != "") return JsonDump(answer);
  for (const Verb& verb : Verbs()) {
    for (const Choice& choice : verb.choices) {
      Json& values = answer["choices"][std::string(choice.name)];
      for (const Option& option : choice.options) {
        values.push_back({std::string(option.value), std::string(option.title)});
      }
    }
  }
  const Result<ToolAnswer> output = AskTool({*trigger_, "list", "--json"}, kListTime);
  if (!output) return output.error();
  Result<Json> list = AnswerOf(*output);
  if (!list) return list.error();
  if (!list->is_array()) return Error{"hindsight-trigger gave no list of processes."};
  std::set<uint64_t> pids;
  for (const Json& row : *list) {
    const auto pid = row.is_object() ? row.find("pid") : row.end();
    if (pid != row.end() && pid->is_number_unsigned()) pids.insert(pid->get<uint64_t>());
  }
  {
    const std::lock_guard lock(mutex_);
    listed_ = std::move(pids);
  }
  answer["processes"] = std::move(*list);
  return JsonDump(answer);
}

Result<std::string> Processes::PidOf(const HttpTarget& target) {
  if (const std::string why = Unavailable(); !why.empty()) return Error{why};
  const auto pid = target.Number("pid", INT32_MAX);
  if (!pid) return pid.error();
  const std::lock_guard lock(mutex_);
  if (!*pid || !listed_.contains(**pid)) {
    return Misuse("There is no such process in the list; it may have ended.");
  }
  return std::to_string(**pid);
}

Result<std::string> Processes::Status(const HttpTarget& target) {
  const Result<std::string> pid = PidOf(target);
  if (!pid) return pid.error();
  const Result<ToolAnswer> output =
      AskTool({*trigger_, "status", *pid, "--timeout", "2s", "--json"}, kStatusTime);
  if (!output) return output.error();
  Result<Json> answer = AnswerOf(*output);
  if (!answer) return answer.error();
  return JsonDump({{"exit_code", output->exit_code}, {"answer", std::move(*answer)}});
}

Result<std::string> Processes::Do(std::string_view name, const HttpTarget& target) {
  const Result<std::string> pid = PidOf(target);
  if (!pid) return pid.error();
  const auto verb = std::ranges::find(Verbs(), name, &Verb::name);
  if (verb == Verbs().end()) return Misuse("The page can record, snapshot and stop.");
  std::vector<std::string> command = {*trigger_, std::string(verb->command), *pid};
  if (verb->makes_recording) command.insert(command.end(), {"--output", folder_});
  for (const Choice& choice : verb->choices) {
    const auto option = std::ranges::find(choice.options, target.Text(choice.name), &Option::value);
    if (option == choice.options.end()) {
      return Misuse("The parameter " + std::string(choice.name) + " has an unknown value.");
    }
    command.insert(command.end(), option->arguments.begin(), option->arguments.end());
  }
  const Result<ToolAnswer> output = AskTool(command, verb->most_time);
  if (!output) return output.error();
  return JsonDump({{"exit_code", output->exit_code}, {"said", LinesOf(output->out + output->err)}});
}

}  // namespace hindsight::analyzer
