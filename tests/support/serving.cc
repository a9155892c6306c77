#include "tests/support/serving.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace hindsight::testing {
namespace {

constexpr int kStartMilliseconds = 60'000;
constexpr int kReplyMilliseconds = 60'000;

// Appends what can be read; false: the end, or nothing for that long.
bool ReadMore(int from, int milliseconds, std::string& text) {
  pollfd wait{from, POLLIN, 0};
  if (poll(&wait, 1, milliseconds) <= 0) return false;
  char bytes[65536];
  const ssize_t got = read(from, bytes, sizeof bytes);
  if (got > 0) text.append(bytes, static_cast<size_t>(got));
  return got > 0;
}

}  // namespace

ServeProcess::ServeProcess(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ == 0) {
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
      arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  out_ = ends[0];
  while (output_.find("Ctrl-C") == output_.npos && ReadMore(out_, kStartMilliseconds, output_)) {
  }
  const size_t begin = output_.find("http://127.0.0.1:");
  if (begin == output_.npos) throw std::runtime_error("no address: " + output_);
  url_ = output_.substr(begin, output_.find('\n', begin) - begin);
  port_ = static_cast<uint16_t>(std::atoi(url_.c_str() + sizeof("http://127.0.0.1:") - 1));
  const size_t slash = url_.find('/', sizeof("http://") - 1);
  token_ = url_.substr(slash + 1, url_.size() - slash - 2);
}

ServeProcess::~ServeProcess() {
  if (pid_ > 0) End(SIGKILL);
  close(out_);
}

int ServeProcess::End(int signal) {
  kill(pid_, signal);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

HttpReply SendRaw(uint16_t port, std::string_view request) {
  HttpReply reply;
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    while (!request.empty()) {
      const ssize_t sent = send(connection, request.data(), request.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      request.remove_prefix(static_cast<size_t>(sent));
    }
    std::string text;
    while (ReadMore(connection, kReplyMilliseconds, text)) {
    }
    const size_t end = text.find("\r\n\r\n");
    if (text.starts_with("HTTP/1.1 ") && end != text.npos) {
      reply.status = std::atoi(text.c_str() + sizeof("HTTP/1.1 ") - 1);
      reply.head = text.substr(0, end + 2);
      reply.body = text.substr(end + 4);
    }
  }
  close(connection);
  return reply;
}

HttpReply Get(uint16_t port, const std::string& target, const std::string& headers) {
  return SendRaw(port, "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                           "\r\nConnection: close\r\n" + headers + "\r\n");
}

}  // namespace hindsight::testing
