// The recorder's end of the control socket, with real sockets and misbehaving clients.
#include "recorder/control/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "recorder/control/bell.h"

namespace hindsight::recorder {
namespace {

namespace fs = std::filesystem;
using contract::Reply;

constexpr uint32_t kPid = 4242;

uint64_t NowNs() {
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

TEST_F(ControlServerTest, OnlyTheOwnerCanReachIt) {
  umask(0);
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  umask(022);
  const auto mode = [](const std::string& path) {
    struct stat found = {};
    EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777;
  };
  EXPECT_EQ(mode(SocketPath()), 0600u);
  EXPECT_EQ(mode(contract::ControlFolder(tmp_, geteuid())), 0700u);
  EXPECT_EQ(mode(contract::UserFolder(tmp_, geteuid())), 0700u);
  server_.Close();
  EXPECT_FALSE(fs::exists(SocketPath()));
}

TEST_F(ControlServerTest, AnotherUserIsDisconnectedWithoutAnAnswer) {
  ASSERT_EQ(geteuid(), 0u) << "this test changes users: run it as root";
  Start();
  // Permissions are wide open, so that only the credentials protect it.
  for (const std::string& path :
       {tmp_, contract::UserFolder(tmp_, 0), contract::ControlFolder(tmp_, 0), SocketPath()}) {
    ASSERT_EQ(chmod(path.c_str(), 0777), 0);
  }
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
    const int fd = Connect();
    if (send(fd, "stop\n", 5, MSG_NOSIGNAL) < 0 && errno != EPIPE) _exit(3);
    _exit(ReadAll(fd).empty() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NE(Ask("status\n"), "");
  EXPECT_EQ(handler_.stops, 0);
}

TEST_F(ControlServerTest, ReplacesTheSocketOfADeadProcessOnly) {
  fs::create_directories(contract::ControlFolder(tmp_, geteuid()));
  fs::permissions(contract::UserFolder(tmp_, geteuid()), fs::perms(0700));
  fs::permissions(contract::ControlFolder(tmp_, geteuid()), fs::perms(0700));
  const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  SocketPath().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  close(dead);
  Start();
  EXPECT_NE(Ask("status\n"), "");

  ControlServer second;
  std::string why;
  EXPECT_FALSE(second.OpenUsual(tmp_, kPid, &why));
  EXPECT_NE(why.find("Another recorder answers"), std::string::npos) << why;
  EXPECT_TRUE(second.Open(tmp_, kPid, &why)) << "beside it: " << why;
  second.Close();
  EXPECT_NE(Ask("status\n"), "");
}

TEST_F(ControlServerTest, LeavesASuccessorsSocketAlone) {
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  fs::remove(SocketPath());
  std::ofstream(SocketPath()) << "somebody else's";
  server_.Close();
  EXPECT_TRUE(fs::exists(SocketPath()));
}

TEST_F(ControlServerTest, FoldersOfDoubtfulOriginAreRefused) {
  const std::string user = contract::UserFolder(tmp_, geteuid());
  const auto why = [this] {
    std::string sentence;
    EXPECT_FALSE(server_.OpenUsual(tmp_, kPid, &sentence));
    EXPECT_FALSE(server_.is_open());
    return sentence;
  };
  fs::create_directory(tmp_ + "/elsewhere");
  fs::create_symlink(tmp_ + "/elsewhere", user);
  EXPECT_NE(why().find("symbolic link"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(tmp_ + "/elsewhere"));

  fs::remove(user);
  std::ofstream(user) << "a file";
  EXPECT_NE(why().find("not a folder"), std::string::npos);

  fs::remove(user);
  fs::create_directory(user);
  fs::permissions(user, fs::perms(0777));
  EXPECT_NE(why().find("writable by others"), std::string::npos);

  fs::permissions(user, fs::perms(0700));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(user.c_str(), 12345, 12345), 0);
    EXPECT_NE(why().find("belongs to user 12345"), std::string::npos);
    ASSERT_EQ(chown(user.c_str(), 0, 0), 0);
  }
  std::string sentence;
  EXPECT_TRUE(server_.OpenUsual(tmp_, kPid, &sentence)) << sentence;
  server_.Close();
  EXPECT_FALSE(server_.Open(tmp_ + "/missing", kPid, &sentence));
  EXPECT_NE(sentence.find("missing"), std::string::npos);
}

TEST_F(ControlServerTest, WhereTheUsualFolderIsNotOursThereIsAnother) {
  std::ofstream(contract::UserFolder(tmp_, geteuid())) << "somebody was here first";
  const auto spare = [this] {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(tmp_)) {
      if (entry.is_directory()) found.push_back(entry.path());
    }
    return found;
  };
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  const std::vector<fs::path> folders = spare();
  ASSERT_EQ(folders.size(), 1u);
  const std::string prefix = contract::SpareFolderPrefix(geteuid());
  EXPECT_TRUE(folders[0].filename().string().starts_with(prefix)) << folders[0];
  EXPECT_EQ(folders[0].filename().string().size(), prefix.size() + 16);
  EXPECT_EQ(fs::status(folders[0]).permissions(), fs::perms(0700));
  EXPECT_TRUE(fs::is_socket(folders[0] / contract::SocketName(kPid)));
  EXPECT_TRUE(server_.IsReachable());

  fs::rename(folders[0], tmp_ + "/moved");
  EXPECT_FALSE(server_.IsReachable());
  fs::rename(tmp_ + "/moved", folders[0]);
  EXPECT_TRUE(server_.IsReachable());
  server_.Close();
  EXPECT_FALSE(server_.IsReachable());
  EXPECT_TRUE(spare().empty());
}

TEST_F(ControlServerTest, KnowsWhenItsSocketIsGone) {
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  EXPECT_TRUE(server_.IsReachable());
  fs::remove(socket_path_);
  EXPECT_FALSE(server_.IsReachable());
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  EXPECT_TRUE(server_.IsReachable());
}

TEST_F(ControlServerTest, ALongTemporaryFolderIsNoObstacle) {
  const std::string deep = tmp_ + '/' + std::string(200, 'd');
  fs::create_directory(deep);
  std::string why;
  EXPECT_TRUE(server_.Open(deep, kPid, &why)) << why;
  EXPECT_TRUE(fs::exists(contract::ControlSocket(deep, geteuid(), kPid)));
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

TEST_F(ControlServerTest, LeavesThePathOfTheLastRecordingWhenItIsGone) {
  const fs::path link =
      fs::path(contract::ControlFolder(tmp_, geteuid())) / contract::LastRecordingName(kPid);
  std::string why;
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  server_.LeavePath("/first/Shop-1.hindsight");
  server_.LeavePath("/second/Shop-1.hindsight");
  server_.Close();
  EXPECT_EQ(fs::read_symlink(link), "/second/Shop-1.hindsight");
  server_.LeavePath("/third/Shop-1.hindsight");
  EXPECT_EQ(fs::read_symlink(link), "/second/Shop-1.hindsight") << "it is closed";
  ASSERT_TRUE(server_.Open(tmp_, kPid, &why)) << why;
  server_.LeavePath("");
  EXPECT_FALSE(fs::is_symlink(link));
}

}  // namespace
}  // namespace hindsight::recorder
