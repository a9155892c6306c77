// A PostgreSQL server of the test's own, reached through a socket in its folder: for tests of what
// is exported to one, and of applications that use one.
#pragma once

#include <string>

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

class PostgresServer {
 public:
  // Its programs refuse to run as root; then another user runs them.
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // The folder of the socket, which clients take for a host.
  std::string host() const { return folder_.path().string(); }
  static constexpr char kUser[] = "hindsight", kDatabase[] = "postgres";

 private:
  std::string Data() const { return folder_ / "data"; }

  const TempDir folder_;
};

}  // namespace hindsight::testing
