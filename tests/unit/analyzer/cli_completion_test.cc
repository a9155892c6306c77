// Completion as the shells themselves do it with our scripts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

using Words = std::set<std::string>;

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    std::filesystem::create_directory(folder_ / "shop.hindsight");
    WriteFile(folder_ / "one.hsr", "");
    WriteFile(folder_ / "other.txt", "");
    // A trigger whose list of processes is the same everywhere.
    WriteFile(programs_ / "hindsight-trigger",
              "#!/bin/sh\necho '    PID  USER'\necho '   4242  shop'\n");
    std::filesystem::permissions(programs_ / "hindsight-trigger",
                                 std::filesystem::perms::owner_all);
    std::filesystem::create_directory(programs_ / "site-functions");
    for (const std::string shell : {"bash", "zsh", "fish"}) {
      const RunResult script = RunProgram({HINDSIGHT_BINARY, "completion", shell});
      EXPECT_EQ(script.exit_code, 0);
      WriteFile(folder_ / (shell + ".script"), script.out);
      const RunResult trigger = RunProgram({HINDSIGHT_TRIGGER, "completion", shell});
      WriteFile(folder_ / (shell + ".trigger.script"), trigger.out);
      if (shell != "zsh") continue;
      WriteFile(programs_ / "site-functions/_hindsight", script.out);
      WriteFile(programs_ / "site-functions/_hindsight-trigger", trigger.out);
    }
  }

  // The lines that `command` prints in the folder of the recordings.
  Words Lines(std::vector<std::string> command) {
    const std::string path = "PATH=" + programs_.path().string() + ":" + std::getenv("PATH");
    command.insert(command.begin(), {"env", "-C", folder_.path(), path});
    const RunResult result = RunProgram(command);
    EXPECT_EQ(result.err, "");
    std::istringstream lines(result.out);
    Words words;
    for (std::string line; std::getline(lines, line);) words.insert(line);
    return words;
  }

  // The last of `words` is completed.
  Words Bash(std::vector<std::string> words) {
    const std::string program = words[0];
    words.insert(words.begin(),
                 {"bash", "--norc", "-c",
                  "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                  "$(complete -p \"$1\" | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"",
                  "bash", program == "hindsight" ? "bash.script" : "bash.trigger.script"});
    return Lines(words);
  }

  // Without the descriptions.
  Words Fish(const std::string& line) {
    const std::string script =
        line.starts_with("hindsight-trigger") ? "fish.trigger.script" : "fish.script";
    Words words;
    for (const std::string& word : Lines(
             {"fish", "--no-config", "-c", "source " + script + "; complete -C '" + line + "'"})) {
      words.insert(word.substr(0, word.find('\t')));
    }
    return words;
  }

  // In a separate terminal in which Tab is pressed: what it has afterwards is the completed line.
  // `setup` makes the script known.
  Words Zsh(const std::string& setup, const std::string& line) {
    const std::string script = R"(
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1=; $2"
    zpty -w shell 'bindkey "^I" complete-word; accept() { print -r -- "g""ot:$BUFFER:"; exit 0 }'
    zpty -w shell 'zle -N accept; bindkey "^X" accept'
    zpty -n -w shell "$1"$'\t\x18'
    local line
    while zpty -r shell line; do
      if [[ $line == *got:* ]]; then print -r -- ${${line#*got:}%%:*}; fi
    done)";
    return Lines({"timeout", "60", "zsh", "-fc", script, "zsh", line, setup});
  }

  const TempDir folder_, programs_;
};

TEST_F(CompletionTest, ScriptsAreWellFormed) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    for (const std::string& script : {shell + ".script", shell + ".trigger.script"}) {
      const RunResult check = RunProgram({shell, "-n", folder_ / script});
      EXPECT_EQ(check.exit_code, 0) << script;
      EXPECT_EQ(check.err, "") << script;
    }
  }
}

TEST_F(CompletionTest, BashCompletesCommandsOptionsChoicesAndRecordings) {
  EXPECT_EQ(Bash({"hindsight", "exc"}), Words({"exceptions"}));
  EXPECT_EQ(Bash({"hindsight", "cpu", "--foc"}), Words({"--focus"}));
  EXPECT_EQ(Bash({"hindsight", "export", "--format", "s"}).count("speedscope"), 1u);
  EXPECT_EQ(Bash({"hindsight", "export", "--format", "=", "pp"}), Words({"pprof"}));
  EXPECT_EQ(Bash({"hindsight", "heap", "--sort", "=", ""}),
            Words({"bytes", "garbage", "objects", "retained"}));
  EXPECT_EQ(Bash({"hindsight", "cpu", ""}), Words({"one.hsr", "shop.hindsight"}));
  EXPECT_EQ(Bash({"hindsight", "export", "-o", "oth"}), Words({"other.txt"}));
  EXPECT_EQ(Bash({"hindsight", "cpu", "--focus", "o"}), Words({""}));
  EXPECT_EQ(Bash({"hindsight", "help", "dead"}), Words({"deadlocks"}));
  EXPECT_EQ(Bash({"hindsight-trigger", "att"}), Words({"attach"}));
  EXPECT_EQ(Bash({"hindsight-trigger", "attach", "--so"}), Words({"--sources"}));
  EXPECT_EQ(Bash({"hindsight-trigger", "attach", "--sources", "allo"}), Words({"allocations"}));
  EXPECT_EQ(Bash({"hindsight-trigger", "attach", "--sources", "cpu,g"}), Words({"cpu,gc"}));
  EXPECT_EQ(Bash({"hindsight-trigger", "launch", "--set", "limit."}),
            Words({"limit.disk=", "limit.memory="}));
  EXPECT_EQ(Bash({"hindsight-trigger", "stop", ""}), Words({"4242"}));
}

TEST_F(CompletionTest, FishCompletesCommandsOptionsChoicesAndRecordings) {
  EXPECT_EQ(Fish("hindsight exc"), Words({"exceptions"}));
  EXPECT_EQ(Fish("hindsight cpu --foc"), Words({"--focus"}));
  EXPECT_EQ(Fish("hindsight export --format pp"), Words({"pprof"}));
  EXPECT_EQ(Fish("hindsight cpu o").count("one.hsr"), 1u);
  EXPECT_EQ(Fish("hindsight cpu shop").count("shop.hindsight/"), 1u);
  EXPECT_EQ(Fish("hindsight-trigger attach --so"), Words({"--sources"}));
  EXPECT_EQ(Fish("hindsight-trigger stop "), Words({"4242"}));
}

TEST_F(CompletionTest, ZshTakesTheScriptAndCompletesWithIt) {
  const auto complete = [&](const std::string& line) {
    return Zsh("autoload -U compinit; compinit -u -D; source ./zsh.script", line);
  };
  EXPECT_EQ(complete("hindsight exc"), Words({"hindsight exceptions "}));
  EXPECT_EQ(complete("hindsight cpu --foc"), Words({"hindsight cpu --focus="}));
  EXPECT_EQ(complete("hindsight export --format pp"), Words({"hindsight export --format pprof "}));
  EXPECT_EQ(complete("hindsight cpu one"), Words({"hindsight cpu one.hsr "}));
}

// As packages install them: zsh loads a file when its command is completed for the first time.
TEST_F(CompletionTest, ZshLoadsTheScriptAtTheFirstTab) {
  const auto complete = [&](const std::string& line) {
    const std::string folder = programs_ / "site-functions";
    return Zsh("fpath=(" + folder + " $fpath); autoload -U compinit; compinit -u -D", line);
  };
  EXPECT_EQ(complete("hindsight exc"), Words({"hindsight exceptions "}));
  EXPECT_EQ(complete("hindsight-trigger att"), Words({"hindsight-trigger attach "}));
}

}  // namespace
}  // namespace hindsight::testing
