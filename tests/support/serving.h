// A running `hindsight serve`, and plain HTTP.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::testing {

class ServeProcess {
 public:
  // Starts it and waits for its address. Throws std::runtime_error if it prints none.
  explicit ServeProcess(const std::vector<std::string>& command);
  ~ServeProcess();
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  uint16_t port() const { return port_; }
  const std::string& url() const { return url_; }  // http://127.0.0.1:PORT/TOKEN/
  const std::string& token() const { return token_; }
  const std::string& output() const { return output_; }  // what it printed at the start

  // Sends the signal and waits for the end: the exit code, -1 if the signal has ended it.
  int End(int signal);

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  uint16_t port_ = 0;
  std::string url_, token_, output_;
};

struct HttpReply {
  int status = 0;  // 0: the connection ended without a response
  std::string head, body;
};

// Sends `request` as it is to 127.0.0.1, and reads until the other side ends or goes quiet.
HttpReply SendRaw(uint16_t port, std::string_view request);
// GET, with `Host: 127.0.0.1:PORT` and `Connection: close`.
HttpReply Get(uint16_t port, const std::string& target, const std::string& headers = "");

}  // namespace hindsight::testing
