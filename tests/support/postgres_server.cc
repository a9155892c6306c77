#include "tests/support/postgres_server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

std::string Program(const std::string& name) { return std::string(HINDSIGHT_POSTGRES "/") + name; }

void Run(const std::vector<std::string>& command) {
  const RunResult result = RunProgram(command, true);
  EXPECT_EQ(result.exit_code, 0) << command[0] << "\n" << result.out << result.err;
}

}  // namespace

PostgresServer::PostgresServer() {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  Run({Program("initdb"), "-D", Data(), "-A", "trust", "-U", kUser, "--no-sync"});
  Run({Program("pg_ctl"), "-D", Data(), "-w", "-l", folder_ / "log", "-o",
       "-c listen_addresses='' -c fsync=off -c unix_socket_directories=" + host(), "start"});
}

PostgresServer::~PostgresServer() {
  Run({Program("pg_ctl"), "-D", Data(), "-m", "immediate", "stop"});
}

}  // namespace hindsight::testing
