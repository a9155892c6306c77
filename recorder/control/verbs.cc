// The requests that clients may send.
#include "recorder/contract/text.h"
#include "recorder/control/server.h"

namespace hindsight::recorder {
namespace {

using contract::Reply;
using contract::Request;

struct Verb {
  std::string_view name;
  Reply (*call)(ControlHandler& handler, std::string_view argument);
};

constexpr Verb kVerbs[] = {
    {"status", [](ControlHandler& handler, std::string_view) { return handler.OnStatus(); }},
    {"stop", [](ControlHandler& handler, std::string_view) { return handler.OnStop(); }},
    {"snapshot", [](ControlHandler& handler, std::string_view) { return handler.OnSnapshot(); }},
    {"snapshot_threads",
     [](ControlHandler& handler, std::string_view) { return handler.OnSnapshotThreads(); }},
    {"snapshot_status",
     [](ControlHandler& handler, std::string_view) { return handler.OnSnapshotStatus(); }},
};

Reply Refusal(std::string sentence) {
  Reply reply;
  reply.ok = false;
  reply.error = std::move(sentence);
  return reply;
}

Reply Answer(std::string_view line, ControlHandler& handler) {
  Request request;
  if (!contract::ParseRequest(line, request)) {
    return Refusal("Invalid request; send one line with a verb, such as status.");
  }
  std::string names;
  for (const Verb& verb : kVerbs) {
    if (verb.name == request.verb) return verb.call(handler, request.argument);
    if (!names.empty()) names += ", ";
    names += verb.name;
  }
  return Refusal("This recorder does not know " + contract::Quote(request.verb) + "; it supports " +
                 names + '.');
}

}  // namespace

std::string AnswerLine(std::string_view line, ControlHandler& handler) {
  return contract::FormatReply(Answer(line, handler));
}

}  // namespace hindsight::recorder
