// Requests to a recorder that drops connections.
#include "trigger/control_client.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "recorder/contract/control.h"

namespace hindsight::trigger {
namespace {

namespace fs = std::filesystem;

// Listens where the recorder in this very process would.
class ControlClient : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hs-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    tmp_ = name;
    process_.pid = process_.inner_pid = getpid();
    process_.uid = geteuid();
    process_.environment = "TMPDIR=" + tmp_.string() + '\0';
    process_.root.reset(open("/", O_PATH | O_CLOEXEC));
    fs::create_directories(contract::ControlFolder(name, geteuid()));
    const std::string path =
        contract::ControlSocket(name, geteuid(), static_cast<uint32_t>(getpid()));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof address.sun_path);
    path.copy(address.sun_path, path.size());
    listener_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    ASSERT_EQ(listen(listener_.get(), 8), 0);
  }
  void TearDown() override {
    Stop();
    fs::remove_all(tmp_);
  }

  // Serves each client, numbered from 1.
  void Serve(std::function<void(int client, int number)> answer) {
    server_ = std::thread([this, answer] {
      while (true) {
        const UniqueFd client(accept(listener_.get(), nullptr, nullptr));
        if (!client) return;
        answer(client.get(), ++clients_);
      }
    });
  }
  void Stop() {
    if (!server_.joinable()) return;
    shutdown(listener_.get(), SHUT_RDWR);
    server_.join();
  }
  Expected<contract::Reply> Ask() {
    return AskRecorder(process_, {"status", ""}, Clock::now() + std::chrono::minutes(1));
  }
  static void Read(int client) {
    char line[64];
    ASSERT_GT(read(client, line, sizeof line), 0);
  }

  fs::path tmp_;
  Process process_;
  UniqueFd listener_;
  std::thread server_;
  std::atomic<int> clients_{0};
};

TEST_F(ControlClient, AsksAgainWhereItWasNotHeard) {
  Serve([](int client, int number) {
    if (number < 3) return;
    Read(client);
    contract::Reply reply;
    reply.Add("state", "recording");
    const std::string text = contract::FormatReply(reply);
    ASSERT_EQ(write(client, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  });
  const Expected<contract::Reply> reply = Ask();
  ASSERT_TRUE(reply) << reply.failure().what;
  EXPECT_EQ(reply->Find("state"), "recording");
  EXPECT_EQ(clients_, 3);
}

TEST_F(ControlClient, GivesUpWhereItIsNeverHeard) {
  Serve([](int, int) {});
  const Expected<contract::Reply> reply = Ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.failure().code, TriggerExit::kConnectionFailed) << reply.failure().what;
  EXPECT_EQ(clients_, 5);
}

TEST_F(ControlClient, DoesNotAskTwiceWhatWasHeard) {
  Serve([](int client, int) { Read(client); });
  const Expected<contract::Reply> reply = Ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.failure().code, TriggerExit::kBadAnswer) << reply.failure().what;
  EXPECT_EQ(clients_, 1);
}

TEST_F(ControlClient, ReportsTheBreakWhenTheRecorderIsGoneThen) {
  Serve([this](int, int) { shutdown(listener_.get(), SHUT_RDWR); });
  const Expected<contract::Reply> reply = Ask();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.failure().code, TriggerExit::kConnectionFailed) << reply.failure().what;
}

}  // namespace
}  // namespace hindsight::trigger
