#include "analyzer/analyses/places/type_owners.h"

#include <gtest/gtest.h>

#include <string_view>

namespace hindsight::analyzer {
namespace {

class TypeOwnersTest : public ::testing::Test {
 protected:
  TypeOwnersTest() { model_.application = "Shop"; }

  ModuleId Assembly(std::string_view name, std::string_view path, std::string_view pdb_path) {
    Module module;
    module.assembly = model_.dictionaries.AddString(name);
    module.path = model_.dictionaries.AddString(path);
    module.pdb_path = model_.dictionaries.AddString(pdb_path);
    return model_.dictionaries.AddModule(std::move(module));
  }
  TypeId Of(ModuleId module, std::string_view name, std::vector<TypeId> arguments = {}) {
    Type type;
    type.name = model_.dictionaries.AddString(name);
    type.module = module;
    type.arguments = std::move(arguments);
    return model_.dictionaries.AddType(type);
  }
  bool IsFramework(TypeId type) const { return TypeOwners(model_).IsFramework(type); }

  HeapModel model_;
};

TEST_F(TypeOwnersTest, AnApplicationsTypesMayBeCalledLikeTheFrameworks) {
  const ModuleId shop = Assembly("Shop", "/app/Shop.dll", "/home/ann/shop/obj/Shop.pdb");
  const ModuleId stock = Assembly("System.Stock", "/app/Stock.dll", "/home/ann/shop/obj/Stock.pdb");
  EXPECT_FALSE(IsFramework(Of(shop, "Microsoft.Shop.Cart")));
  EXPECT_FALSE(IsFramework(Of(shop, "System.Extensions.Of")));
  EXPECT_FALSE(IsFramework(Of(stock, "System.Stock.Row")));
  const ModuleId built_elsewhere =
      Assembly("System.Reactive", "/app/System.Reactive.dll", "/_/src/System.Reactive.pdb");
  EXPECT_TRUE(IsFramework(Of(built_elsewhere, "System.Reactive.Unit")));
}

TEST_F(TypeOwnersTest, YoursIsWhatIsNeitherAPackagesNorTheFrameworks) {
  const ModuleId shop = Assembly("Shop", "/app/Shop.dll", "/home/ann/shop/obj/Shop.pdb");
  const ModuleId package = Assembly("Jobs", "/app/Jobs.dll", "/_/src/Jobs.pdb");
  const auto is_yours = [this](TypeId type) { return TypeOwners(model_).IsYours(type); };
  EXPECT_TRUE(is_yours(Of(shop, "Microsoft.Shop.Cart")));
  EXPECT_FALSE(is_yours(Of(package, "Jobs.Entry")));
  EXPECT_TRUE(is_yours(Of(0, "Shop.Cart")));
  EXPECT_FALSE(is_yours(Of(0, "System.String")));
}

TEST_F(TypeOwnersTest, WhatTheFrameworkBringsIsItsWhateverItIsCalled) {
  const ModuleId core =
      Assembly("System.Private.CoreLib",
               "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/System.Private.CoreLib.dll",
               "/_/a.pdb");
  EXPECT_TRUE(IsFramework(Of(core, "System.String")));
  EXPECT_TRUE(IsFramework(Of(core, "<>f__AnonymousType0`1")));
}

TEST_F(TypeOwnersTest, PackagesAndWhatHasNoAssemblyGoByTheirName) {
  const ModuleId package = Assembly("Microsoft.Data.Sqlite", "/app/Microsoft.Data.Sqlite.dll",
                                    "/_/src/Microsoft.Data.Sqlite.pdb");
  Assembly("Shop", "/app/Shop.dll", "/home/ann/shop/obj/Shop.pdb");
  EXPECT_TRUE(IsFramework(Of(package, "Microsoft.Data.Sqlite.SqliteConnection")));
  EXPECT_FALSE(IsFramework(Of(package, "SQLitePCL.sqlite3")));
  EXPECT_TRUE(IsFramework(Of(0, "System.String")));
  EXPECT_FALSE(IsFramework(Of(0, "Shop.Cart")));
}

TEST_F(TypeOwnersTest, AltogetherMeansTheArgumentsToo) {
  const TypeId list = Of(0, "System.Collections.Generic.List`1", {Of(0, "Shop.Cart")});
  Type array;
  array.element = list;
  array.rank = 1;
  const TypeId lists = model_.dictionaries.AddType(array);
  const TypeOwners owners(model_);
  EXPECT_TRUE(owners.IsFramework(lists));
  EXPECT_FALSE(owners.IsFrameworkAltogether(lists));
  EXPECT_TRUE(owners.IsFrameworkAltogether(
      Of(0, "System.Collections.Generic.List`1", {Of(0, "System.String")})));
}

}  // namespace
}  // namespace hindsight::analyzer
