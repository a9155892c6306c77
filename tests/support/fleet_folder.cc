#include "tests/support/fleet_folder.h"

#include <functional>
#include <stdexcept>

namespace hindsight::testing {
namespace {

void Replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == text.npos) throw std::runtime_error("the case has no " + from);
  text.replace(at, from.size(), to);
}

}  // namespace

RecordingBuilder FleetRecording(std::string text, const FleetMember& member) {
  const std::string started =
      std::to_string(1'790'000'000'000'000'000 + member.hour * 3'600'000'000'000);
  Replace(text, "pid: 4242 application: \"Shop\"",
          "pid: " + std::to_string(member.pid) + " application: \"Shop\" host: \"" + member.host +
              "\" started_unix_ns: " + started);
  const std::string key = "recording_started_unix_ns: ";
  const size_t at = text.find(key);
  if (at == text.npos) throw std::runtime_error("the case has no " + key);
  text.replace(at + key.size(), started.size(), started);  // with the same number of digits
  Replace(text, "module { id: 1 ", "module { id: 1 mvid: \"" + member.build + "\" ");
  RecordingBuilder builder(
      std::hash<std::string>()(member.host + " " + std::to_string(member.pid)));
  builder.AddText(text);
  return builder;
}

}  // namespace hindsight::testing
