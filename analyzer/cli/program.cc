#include "analyzer/cli/program.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "analyzer/base/console.h"
#include "analyzer/base/path_text.h"
#include "analyzer/cli/completion.h"
#include "analyzer/cli/help.h"
#include "analyzer/cli/man_page.h"
#include "analyzer/cli/parse.h"

namespace hindsight::cli {
namespace {

constexpr char kCommonGroup[] = "Help and shells";

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int Fail(const Program& program, const std::string& sentence) {
  std::fprintf(stderr, "%s: %s\n", program.name.c_str(), sentence.c_str());
  return program.usage_exit_code;
}

std::string UnknownCommand(const Program& program, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.name());
  const std::string near = Nearest(name, names);
  return "Unknown command " + Quoted(name) + "." +
         (near.empty() ? "" : " Did you mean " + near + "?") + " See " + program.name + " --help.";
}

int RunHelp(const Program& program, const std::string& name) {
  const HelpStyle style = DetectHelpStyle(analyzer::kStandardOutput);
  if (name.empty()) {
    Print(ProgramHelp(program, style));
    return 0;
  }
  const Command* const command = program.Find(name);
  if (command == nullptr) return Fail(program, UnknownCommand(program, name));
  Print(CommandHelp(program, *command, style));
  return 0;
}

int RunCommand(const Program& program, const Command& command,
               std::span<const std::string> arguments) {
  const ParseResult parsed = Parse(command, arguments);
  if (parsed.what == Parsed::kHelp) return RunHelp(program, command.name());
  if (parsed.what == Parsed::kError) {
    return Fail(program, parsed.error + " See " + program.name + " " + command.name() + " --help.");
  }
  return command.Run();
}

struct ManOptions {
  std::string command, folder;
};

bool WritePage(const std::string& folder, const std::string& name, const std::string& text) {
  std::ofstream file(analyzer::PathOf(folder) / (name + ".1"), std::ios::binary);
  file << text << std::flush;
  return file.good();
}

int RunMan(const Program& program, const ManOptions& options) {
  if (!options.folder.empty()) {
    bool is_written = WritePage(options.folder, program.name, ProgramManPage(program));
    for (const Command& command : program.commands) {
      is_written = is_written && WritePage(options.folder, program.name + "-" + command.name(),
                                           CommandManPage(program, command));
    }
    if (is_written) return 0;
    return Fail(program, "Cannot write the manual pages to " + Quoted(options.folder) + ".");
  }
  if (options.command.empty()) {
    Print(ProgramManPage(program));
    return 0;
  }
  const Command* const command = program.Find(options.command);
  if (command == nullptr) return Fail(program, UnknownCommand(program, options.command));
  Print(CommandManPage(program, *command));
  return 0;
}

}  // namespace

Command& Program::Add(std::string_view title, std::string name, std::string words) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [title](const Group& other) { return other.title == title; });
  if (group == groups.end()) group = groups.insert(group, {std::string(title), {}});
  commands.emplace_back(std::move(name), std::move(words));
  group->commands.push_back(&commands.back());
  return commands.back();
}

const Command* Program::Find(std::string_view command_name) const {
  for (const Command& command : commands) {
    if (command.name() == command_name) return &command;
  }
  return nullptr;
}

void AddCommonCommands(Program& program) {
  Command& help = program.Add(kCommonGroup, "help", "Show this help, or help for one command");
  const auto name = std::make_shared<std::string>();
  help.Argument("COMMAND", *name, "The command").Required(false).Offers(Offer::kCommand);
  help.Example(program.name + " help", "all commands, by topic");
  help.Runs([&program, name] { return RunHelp(program, *name); });

  Command& completion = program.Add(kCommonGroup, "completion", "Print a shell completion script");
  const auto shell = std::make_shared<std::string>();
  completion.Argument("SHELL", *shell, "bash, zsh or fish").Choices({"bash", "zsh", "fish"});
  completion.Example("source <(" + program.name + " completion bash)",
                     "for the current bash session");
  completion.Example(
      program.name + " completion fish > ~/.config/fish/completions/" + program.name + ".fish",
      "permanently, for fish");
  completion.Example(program.name + " completion zsh > ~/.zfunc/_" + program.name,
                     "permanently, for zsh, if ~/.zfunc is in its fpath");
  completion.Runs([&program, shell] {
    Print(*shell == "bash"  ? BashCompletion(program)
          : *shell == "zsh" ? ZshCompletion(program)
                            : FishCompletion(program));
    return 0;
  });

  Command& man = program.Add(kCommonGroup, "man", "Print a manual page, or write all of them");
  const auto page = std::make_shared<ManOptions>();
  man.Argument("COMMAND", page->command, "The command").Required(false).Offers(Offer::kCommand);
  man.Value("--output", "FOLDER", page->folder, "Write all pages into this folder, as NAME.1")
      .Letter('o')
      .Offers(Offer::kFolder);
  man.Example(program.name + " man " + program.commands.front().name() + " | man -l -",
              "read a page without installing it");
  man.Runs([&program, page] { return RunMan(program, *page); });
}

int Run(const Program& program, std::span<const std::string> arguments) {
  const Command* const by_default =
      program.default_command.empty() ? nullptr : program.Find(program.default_command);
  if (arguments.empty()) {
    if (by_default != nullptr && program.has_input()) return RunCommand(program, *by_default, {});
    const std::string help = ShortHelp(program, DetectHelpStyle(analyzer::kStandardError));
    std::fwrite(help.data(), 1, help.size(), stderr);
    return program.usage_exit_code;
  }
  const std::string& name = arguments[0];
  if (name == "--help" || name == "-h") return RunHelp(program, "");
  if (name == "--version") {
    const std::string commit = program.commit.empty() ? "" : " (" + program.commit + ")";
    Print(program.name + " " + program.version + commit + "\n");
    return 0;
  }
  const Command* const command = program.Find(name);
  if (command == nullptr && name.starts_with("-")) {
    return Fail(program,
                "Expected a command, got " + Quoted(name) + ". See " + program.name + " --help.");
  }
  if (command != nullptr) return RunCommand(program, *command, arguments.subspan(1));
  if (by_default != nullptr && program.is_input(name)) {
    return RunCommand(program, *by_default, arguments);
  }
  return Fail(program, UnknownCommand(program, name));
}

}  // namespace hindsight::cli
