// `hindsight`: everything that is done with a recording afterwards.
#include <google/protobuf/stubs/logging.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "analyzer/base/console.h"
#include "analyzer/base/pager.h"
#include "analyzer/base/pages.h"
#include "analyzer/cli/arguments.h"
#include "analyzer/cli/commit.h"
#include "analyzer/cli/program.h"
#include "analyzer/commands/command.h"

namespace {

using hindsight::analyzer::ExitCode;

int Run(int argc, char** argv) {
  hindsight::cli::Program program;
  hindsight::analyzer::DescribeHindsight(program);
  program.commit = hindsight::cli::kCommit;
  std::vector<std::string> arguments = hindsight::cli::Arguments(argc, argv);
  // Accepted by all commands, in any position.
  const bool is_paged = std::erase(arguments, "--no-pager") == 0;
  const hindsight::analyzer::Pager pager(is_paged);
  const int exit_code = hindsight::cli::Run(program, arguments);
  errno = 0;
  std::cout.flush();
  const bool is_written = std::fflush(stdout) == 0 && std::cout.good();
  // A reader that stops early, such as `head`, misses nothing.
  if (is_written || errno == EPIPE) return exit_code;
  std::cerr << "hindsight: cannot write the output; is the disk full?\n";
  return static_cast<int>(ExitCode::kUnusableInput);
}

}  // namespace

int main(int argc, char** argv) {
  hindsight::analyzer::AllocateInLargePages();
  hindsight::analyzer::PrepareStandardStreams();
  std::ios::sync_with_stdio(false);
  google::protobuf::SetLogHandler(nullptr);  // we report damage ourselves, in sentences
  try {
    return Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "hindsight: out of memory; reading a heap takes about 60 bytes per object: use a "
                 "machine with more memory\n";
    return static_cast<int>(ExitCode::kUnusableInput);
  } catch (const std::exception& error) {
    std::cerr << "hindsight: internal error: " << error.what() << "; please report it\n";
    return static_cast<int>(ExitCode::kUnusableInput);
  }
}
