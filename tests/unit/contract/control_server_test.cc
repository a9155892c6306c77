// The recorder's end of the control socket, with real sockets and misbehaving clients.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include <vector>

#include "tests/unit/contract/control_server_test.h"

namespace hindsight::recorder {
namespace {

TEST_F(ControlServerTest, AnswersTheVerbs) {
  Start();
  Reply reply;
  ASSERT_TRUE(contract::ParseReply(Ask("status\n"), reply));
  EXPECT_TRUE(reply.ok);
  EXPECT_EQ(reply.Find("state"), "recording");
  ASSERT_TRUE(contract::ParseReply(Ask("stop\n"), reply));
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.error, "The disk is full.");
  EXPECT_EQ(handler_.statuses, 1);
  EXPECT_EQ(handler_.stops, 1);
  StopServing();
  EXPECT_EQ(event_, ControlServer::Event::kWoken);
}

TEST_F(ControlServerTest, RefusesWhatItDoesNotKnow) {
  Start();
  for (const std::string& request :
       {std::string("dance\n"), std::string("\n"), std::string("st\0op\n", 6),
        std::string("status\nstop\n"), std::string(contract::kMaxRequestBytes, 'x')}) {
    Reply reply;
    ASSERT_TRUE(contract::ParseReply(Ask(request), reply)) << request;
    EXPECT_FALSE(reply.ok);
    EXPECT_NE(reply.error, "");
  }
  EXPECT_EQ(handler_.statuses, 0);
  EXPECT_EQ(handler_.stops, 0);
}

// The server's end of the only connection.
int FindServersEnd() {
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_un name = {}, peer = {};
    socklen_t name_size = sizeof name, peer_size = sizeof peer;
    const bool is_it = getsockname(fd, reinterpret_cast<sockaddr*>(&name), &name_size) == 0 &&
                       getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0 &&
                       name.sun_family == AF_UNIX && name.sun_path[0] != 0;
    if (is_it) return fd;
  }
  return -1;
}

// An application closes one descriptor too many, while a stop takes its time, and opens a file of
// its own that gets the number: the reply must not go there.
TEST_F(ControlServerTest, AnswersIntoNoFileThatHasTakenAClientsDescriptor) {
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK), 0);
  std::atomic<int> taken = -1;
  handler_.in_stop = [&] {
    taken = FindServersEnd();
    dup2(pipe_ends[1], taken);
  };
  Start();
  EXPECT_EQ(Ask("stop\n"), "");
  ASSERT_GE(taken, 0);
  Reply reply;
  EXPECT_TRUE(contract::ParseReply(Ask("status\n"), reply));  // it goes on
  StopServing();
  char byte;
  EXPECT_LT(read(pipe_ends[0], &byte, 1), 0);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(fcntl(taken, F_GETFD), 0) << "it was closed";
  for (const int fd : {pipe_ends[0], pipe_ends[1], taken.load()}) close(fd);
}

TEST_F(ControlServerTest, TakesARequestInPiecesAndSendsALargeAnswer) {
  handler_.padding = 60'000;
  Start();
  const int fd = Connect();
  for (const char c : std::string_view("status\n")) Write(fd, std::string_view(&c, 1));
  Reply reply;
  ASSERT_TRUE(contract::ParseReply(ReadAll(fd), reply));
  EXPECT_EQ(reply.Find("padding").size(), 60'000u);
}

TEST_F(ControlServerTest, SilentClientsNeitherBlockNorStay) {
  Start();
  std::vector<int> silent;
  for (int i = 0; i < ControlServer::kMaxClients; ++i) silent.push_back(Connect());
  const uint64_t start = NowNs();
  // All client slots are taken: it is served as soon as one of the clients is disconnected.
  EXPECT_NE(Ask("status\n"), "");
  EXPECT_LT(NowNs() - start, 2 * ControlServer::kClientNs);
  for (const int fd : silent) EXPECT_EQ(ReadAll(fd), "");
}

// As after a SIGSTOP: what the client sent in time counts, however late it is read.
TEST_F(ControlServerTest, ARequestSentBeforeAPauseIsAnswered) {
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  const int fd = Connect();
  // Accepted, and nothing to read yet.
  EXPECT_EQ(server_.Serve(-1, NowNs() + 50'000'000, handler_), ControlServer::Event::kDeadline);
  Write(fd, "status\n");
  const uint64_t pause_end = NowNs() + ControlServer::kClientNs + 50'000'000;
  while (NowNs() < pause_end) poll(nullptr, 0, 100);
  thread_ = std::thread([this] { event_ = server_.Serve(wake_, 0, handler_); });
  Reply reply;
  EXPECT_TRUE(contract::ParseReply(ReadAll(fd), reply));
  EXPECT_EQ(reply.Find("state"), "recording");
}

TEST_F(ControlServerTest, AClientThatLeavesDoesNotRaiseASignal) {
  handler_.padding = 60'000;
  Start();
  for (int i = 0; i < 50; ++i) {
    const int fd = Connect();
    Write(fd, "status\n");
    close(fd);
  }
  EXPECT_NE(Ask("status\n"), "");
}

TEST_F(ControlServerTest, ReturnsAtTheDeadline) {
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  const uint64_t deadline = NowNs() + 20'000'000;
  EXPECT_EQ(server_.Serve(-1, deadline, handler_), ControlServer::Event::kDeadline);
  EXPECT_GE(NowNs(), deadline);
  EXPECT_EQ(server_.Serve(wake_, 1, handler_), ControlServer::Event::kDeadline);
}

TEST_F(ControlServerTest, DescriptorsAreNotInherited) {
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = fs::read_symlink(entry.path(), error).string();
    if (target.find("socket:") != 0 && target.find(tmp_) != 0) continue;
    const int flags = fcntl(std::stoi(entry.path().filename().string()), F_GETFD);
    EXPECT_NE(flags & FD_CLOEXEC, 0) << target;
  }
}

// A descriptor that the application opened after it had closed a socket that was not its own.
TEST_F(ControlServerTest, LeavesAForeignDescriptorAlone) {
  const int ours = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(ours);  // the lowest that is free
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  int listener = -1;
  for (int fd = ours; fd < ours + 8 && listener < 0; ++fd) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0) {
      listener = fd;
    }
  }
  ASSERT_GE(listener, 0);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  ASSERT_EQ(dup2(ends[0], listener), listener);
  Write(ends[1], "theirs");  // readable: nothing waits
  EXPECT_EQ(server_.Serve(-1, NowNs() + 1'000'000'000, handler_), ControlServer::Event::kFailed);
  server_.Close();
  char buffer[16];
  EXPECT_EQ(recv(listener, buffer, sizeof buffer, MSG_DONTWAIT), 6) << "it is open and unread";
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  for (const int fd : {ends[0], ends[1], listener}) close(fd);
}

// A busy loop would use a whole processor.
TEST_F(ControlServerTest, WaitsWhereItMayNotPoll) {
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const uint64_t begun_ns = NowNs();
  EXPECT_EQ(server_.Serve(wake_, 0, handler_), ControlServer::Event::kFailed);
  EXPECT_GE(NowNs() - begun_ns, 50'000'000u);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// A recording can be ended even if the application has used up its descriptors.
TEST_F(ControlServerTest, AnswersWhereNoDescriptorIsLeft) {
  Start();
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<int> used;
  for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) used.push_back(fd);
  EXPECT_EQ(errno, EMFILE);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  SocketPath().copy(address.sun_path, sizeof address.sun_path - 1);
  for (const int fd : {client, other}) {  // and again, with the same descriptor
    ASSERT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    Write(fd, "status\n");
    EXPECT_NE(ReadAll(fd).find("recording"), std::string::npos);
  }
  for (const int fd : used) close(fd);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace hindsight::recorder
