// A control server in a folder of its own, and its clients.
#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "recorder/control/server.h"

namespace hindsight::recorder {

namespace fs = std::filesystem;
using contract::Reply;

inline constexpr uint32_t kPid = 4242;

inline uint64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

class CountingHandler : public ControlHandler {
 public:
  Reply OnStatus() override {
    ++statuses;
    Reply reply;
    reply.Add("state", "recording");
    reply.Add("padding", std::string(padding, 'x'));
    return reply;
  }
  Reply OnStop() override {
    ++stops;
    if (in_stop) in_stop();
    Reply reply;
    reply.ok = false;
    reply.error = "The disk is full.";
    return reply;
  }
  Reply OnSnapshot() override {
    ++snapshots;
    Reply reply;
    reply.Add("snapshot", static_cast<uint64_t>(snapshots));
    return reply;
  }
  Reply OnSnapshotStatus() override { return {}; }
  Reply OnSnapshotThreads() override { return {}; }

  std::atomic<int> statuses = 0;
  std::atomic<int> stops = 0;
  std::atomic<int> snapshots = 0;
  size_t padding = 0;
  std::function<void()> in_stop;
};

class ControlServerTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/control-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    tmp_ = pattern;
    socket_path_ = contract::ControlSocket(tmp_, geteuid(), kPid);
    wake_ = eventfd(0, EFD_CLOEXEC);
  }
  void TearDown() override {
    StopServing();
    server_.Close();
    close(wake_);
    fs::remove_all(tmp_);
  }

  const std::string& SocketPath() const { return socket_path_; }

  void Start() {
    std::string why;
    ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
    thread_ = std::thread([this] { event_ = server_.Serve(wake_, 0, handler_); });
  }
  void StopServing() {
    if (!thread_.joinable()) return;
    eventfd_write(wake_, 1);
    thread_.join();
  }

  int Connect() const {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    SocketPath().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0)
        << strerror(errno);
    return fd;
  }
  static void Write(int fd, std::string_view text) {
    ASSERT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Reads until the end of the stream. If that never comes, the test fails by ctest's timeout.
  static std::string ReadAll(int fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t size = 0; (size = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, size);
    close(fd);
    return text;
  }
  std::string Ask(std::string_view request) const {
    const int fd = Connect();
    Write(fd, request);
    return ReadAll(fd);
  }

  std::string tmp_;
  std::string socket_path_;
  int wake_ = -1;
  ControlServer server_;
  CountingHandler handler_;
  std::thread thread_;
  ControlServer::Event event_ = ControlServer::Event::kFailed;
};

}  // namespace hindsight::recorder
