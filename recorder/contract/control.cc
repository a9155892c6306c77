#include "recorder/contract/control.h"

#include <algorithm>

#include "recorder/contract/text.h"

namespace hindsight::contract {
namespace {

bool IsKeyChar(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
bool IsVerbChar(char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_'; }

bool HasControl(std::string_view text) { return std::any_of(text.begin(), text.end(), IsControl); }

// Removes a line from the front of `text`, without its newline. False: there is no newline.
bool TakeLine(std::string_view& text, std::string_view& line) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::string UserFolder(std::string_view tmp, uint32_t uid) {
  std::string folder(tmp);
  if (folder.empty() || folder.back() != '/') folder += '/';
  return folder + "hindsight-" + std::to_string(uid);
}

std::string ControlFolder(std::string_view tmp, uint32_t uid) {
  return UserFolder(tmp, uid) + "/control";
}

std::string ControlSocket(std::string_view tmp, uint32_t uid, uint32_t pid) {
  return ControlFolder(tmp, uid) + '/' + SocketName(pid);
}

std::string SocketName(uint32_t pid) { return std::to_string(pid) + ".sock"; }

std::string LastRecordingName(uint32_t pid) { return std::to_string(pid) + ".last"; }

std::string ControlPipe(uint32_t pid) {
  return "\\\\.\\pipe\\hindsight-control-" + std::to_string(pid);
}

std::string SpareFolderPrefix(uint32_t uid) { return "hindsight-" + std::to_string(uid) + '-'; }

std::string DefaultOutput(std::string_view tmp, uint32_t uid) {
  return UserFolder(tmp, uid) + "/recordings";
}

std::string TemporaryFolder(std::string_view environment_block) {
  constexpr std::string_view kName = "TMPDIR=";
  constexpr std::string_view kDefault = "/tmp";
  while (!environment_block.empty()) {
    const size_t end = std::min(environment_block.find('\0'), environment_block.size());
    std::string_view entry = environment_block.substr(0, end);
    environment_block.remove_prefix(std::min(end + 1, environment_block.size()));
    if (!entry.starts_with(kName)) continue;
    entry.remove_prefix(kName.size());
    while (entry.size() > 1 && entry.back() == '/') entry.remove_suffix(1);
    // Like getenv: the first one counts.
    return std::string(entry.starts_with('/') ? entry : kDefault);
  }
  return std::string(kDefault);
}

std::string FormatRequest(const Request& request) {
  std::string line = request.verb;
  if (!request.argument.empty()) line += ' ' + request.argument;
  return line + '\n';
}

bool ParseRequest(std::string_view line, Request& out) {
  if (line.size() > kMaxRequestBytes || !line.ends_with('\n')) return false;
  line.remove_suffix(1);
  if (HasControl(line)) return false;
  const size_t space = std::min(line.find(' '), line.size());
  const std::string_view verb = line.substr(0, space);
  if (verb.empty() || !std::all_of(verb.begin(), verb.end(), IsVerbChar)) return false;
  const std::string_view argument = line.substr(std::min(space + 1, line.size()));
  if (space < line.size() && argument.empty()) return false;
  out.verb = verb;
  out.argument = argument;
  return true;
}

void Reply::Add(std::string_view key, std::string_view value) { fields.emplace_back(key, value); }

void Reply::Add(std::string_view key, uint64_t value) { Add(key, std::to_string(value)); }

std::string_view Reply::Find(std::string_view key) const {
  for (const auto& [name, value] : fields) {
    if (name == key) return value;
  }
  return {};
}

std::string FormatReply(const Reply& reply) {
  std::string text = reply.ok ? "ok" : "error " + Printable(reply.error, kMaxReplyBytes / 2);
  text += '\n';
  for (const auto& [key, value] : reply.fields) {
    const std::string line = key + ' ' + Printable(value, kMaxReplyBytes) + '\n';
    if (text.size() + line.size() + 1 > kMaxReplyBytes) break;
    text += line;
  }
  return text + '\n';
}

bool ParseReply(std::string_view text, Reply& out) {
  if (text.size() > kMaxReplyBytes) return false;
  Reply reply;
  std::string_view line;
  if (!TakeLine(text, line) || HasControl(line)) return false;
  constexpr std::string_view kError = "error ";
  reply.ok = line == "ok";
  if (!reply.ok) {
    if (!line.starts_with(kError)) return false;
    reply.error = line.substr(kError.size());
  }
  while (TakeLine(text, line)) {
    if (line.empty()) {
      if (!text.empty()) return false;
      out = std::move(reply);
      return true;
    }
    if (HasControl(line)) return false;
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0) return false;
    const std::string_view key = line.substr(0, space);
    if (!std::all_of(key.begin(), key.end(), IsKeyChar)) return false;
    reply.Add(key, line.substr(space + 1));
  }
  return false;
}

}  // namespace hindsight::contract
