// Where the control socket is, who can reach it, and what is left of it.
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <vector>

#include "tests/unit/contract/control_server_test.h"

namespace hindsight::recorder {
namespace {

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
