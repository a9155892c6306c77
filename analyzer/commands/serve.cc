// `hindsight serve`: recordings in a browser, from a server on this machine.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "analyzer/base/pager.h"
#include "analyzer/base/text.h"
#include "analyzer/base/tool.h"
#include "analyzer/base/wrap.h"
#include "analyzer/cli/usual_folder.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/serve_source.h"
#include "analyzer/serve/explorer.h"
#include "analyzer/serve/http_server.h"

namespace hindsight::analyzer {
namespace {

struct ServeOptions {
  std::string path;
  uint32_t port = 0;
  SymbolPaths symbols;
};

ExitCode RunServer(const ServeOptions& options) {
  const std::string path = options.path.empty() ? cli::UsualFolder() : options.path;
  const auto source = ServedRecordings::Open(path, options.symbols);
  if (!source) return Fail(source.error());
  const auto all = (*source)->List();
  if (!all) return Fail(all.error());
  const Result<std::string> token = Access::NewToken();
  if (!token) return Fail(token.error());
  const auto server = HttpServer::Open(static_cast<uint16_t>(options.port));
  if (!server) return Fail(server.error());
  const int stop = HttpServer::StopDescriptor();

  const std::string port = std::to_string((*server)->port());
  std::cout
      << Plural(all->size(), "recording") << " in " << Printable((*source)->Place())
      << "\n  open  http://127.0.0.1:" << port << "/" << *token << "/\n"
      << Wrap(
             "Keep this address private: anyone on this machine who has it can view the recordings "
             "and record your processes. Press Ctrl-C to stop the server.",
             StdoutStyle().width, 0)
      << "\n";
  std::cout.flush();
  std::fflush(stdout);
  Pager::Release();

  Processes processes(FindSister("hindsight-trigger"),
                      (*source)->IsOne() ? std::string() : (*source)->Place());
  Explorer explorer(*token, **source, processes);
  (*server)->Run([&explorer](const HttpRequest& request) { return explorer.Answer(request); },
                 stop);
  // A recording may still be read or analyzed although no one is waiting for it.
  std::_Exit(static_cast<int>(ExitCode::kOk));
}

}  // namespace

void DescribeServe(cli::Command& command) {
  const auto options = std::make_shared<ServeOptions>();
  command
      .Argument("FOLDER", options->path,
                "A folder with recordings, or a recording; default: the recorder's usual folder")
      .Required(false)
      .Offers(cli::Offer::kFolder);
  command.Value("--port", "PORT", options->port, "Port on the loopback address")
      .Range(0, 65535)
      .Default("any that is free");
  AddSymbols(command, options->symbols);
  command.Note(
      "The page shows the list of recordings, the report of each and what changed between two, the "
      "heap's objects one by one, a part of the time or of the threads, and answers to SQL. Where "
      "hindsight-trigger is installed, it also shows the .NET processes of this machine, and "
      "records them into FOLDER. Nothing is read from the network or sent to it.");
  command.Note(
      "The server listens on 127.0.0.1 only, and answers only to addresses with the random token "
      "that it prints. To see the page of another machine, forward the port: ssh -t -L "
      "8080:127.0.0.1:8080 HOST hindsight serve FOLDER --port 8080.");
  command.Example("hindsight serve", "the recordings in the recorder's usual folder");
  command.Example("hindsight serve /var/log/shop --port 8080", "another folder, on a fixed port");
  command.Example("hindsight serve shop.hindsight", "one recording");
  command.SeeAlso(
      {"hindsight report", "hindsight list", "hindsight sql", "hindsight-trigger list"});
  command.Runs([options] { return RunServer(*options); });
}

}  // namespace hindsight::analyzer
