#include "recorder/contract/application.h"

#include <gtest/gtest.h>

namespace hindsight::contract {
namespace {

TEST(ApplicationName, FindsTheEntryAssembly) {
  EXPECT_EQ(ApplicationName({"dotnet", "bin/Shop.Web.dll", "other.dll"}), "Shop.Web");
  EXPECT_EQ(ApplicationName({"/usr/bin/dotnet", "exec", "--depsfile", "x.deps.json",
                             "--additional-deps", "not.dll", "/app/Shop.dll"}),
            "Shop");
  EXPECT_EQ(ApplicationName({"/app/Shop.Web", "--config", "x.dll"}), "Shop.Web");
  EXPECT_EQ(ApplicationName({"dotnet", "build"}), "dotnet");
  EXPECT_EQ(ApplicationName({"dotnet", "--depsfile"}), "dotnet");
  EXPECT_EQ(ApplicationName({"/opt/Shop.dll"}), "Shop");
  EXPECT_EQ(ApplicationName({"dotnet", ".dll"}), "dotnet");
  EXPECT_EQ(ApplicationName({}), "");
}

}  // namespace
}  // namespace hindsight::contract
