// Stacks as recorded from a web application on .NET 10 (ASP.NET Core, EF Core on SQLite, and a
// second project).
#include "analyzer/analyses/places/places.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/places/module_owners.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/model/display_names.h"
#include "analyzer/naming/method_names.h"

namespace hindsight::analyzer {
namespace {

constexpr char kShared[] = "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/";

ModuleId AddAssembly(Model& model, std::string_view folder, std::string_view assembly,
                     std::string_view pdb, std::string_view revision = "") {
  Module module;
  module.path = model.dictionaries.AddString(std::string(folder) + std::string(assembly) + ".dll");
  module.assembly = model.dictionaries.AddString(assembly);
  module.pdb_path = model.dictionaries.AddString(pdb);
  if (!revision.empty()) module.revision = model.dictionaries.AddString(revision);
  return model.dictionaries.AddModule(module);
}

class PlacesTest : public ::testing::Test {
 protected:
  PlacesTest() {
    model_.facts.application = "Web";
    AddModule("Web", "/src/Web/obj/Release/net10.0/Web.pdb");
    AddModule("Acme.Stock", "/src/Core/obj/Release/net10.0/Acme.Stock.pdb");
    AddModule(
        "Microsoft.EntityFrameworkCore",
        "/_/src/efcore/artifacts/obj/EFCore/Release/net10.0/Microsoft.EntityFrameworkCore.pdb");
    AddModule(
        "SQLitePCLRaw.core",
        "/Users/eric/dev/SQLitePCL.raw/src/SQLitePCLRaw.core/obj/Release/SQLitePCLRaw.core.pdb");
    AddModule("System.Private.CoreLib", "/_/src/runtime/artifacts/obj/System.Private.CoreLib.pdb");
    AddModule("Microsoft.AspNetCore.Http", "/_/src/aspnetcore/artifacts/obj/Http.pdb");
  }

  ModuleId AddModule(std::string_view assembly, std::string_view pdb) {
    const bool is_shared = assembly.starts_with("System.") || assembly.find("Asp") != assembly.npos;
    const ModuleId id = AddAssembly(model_, is_shared ? kShared : "/app/", assembly, pdb);
    modules_.emplace_back(assembly, id);
    return id;
  }

  ModuleId ModuleOf(std::string_view type) const {
    if (type.starts_with("Acme.Stock.")) return modules_[1].second;
    if (type.starts_with("Microsoft.EntityFrameworkCore.")) return modules_[2].second;
    if (type.starts_with("SQLitePCL")) return modules_[3].second;
    if (type.starts_with("System.")) return modules_[4].second;
    if (type.starts_with("Microsoft.AspNetCore.")) return modules_[5].second;
    return modules_[0].second;
  }

  // "Type.Method", "[dynamic] name"; after a blank the types that it is instantiated over.
  MethodId MethodOf(std::string_view text) {
    Method method;
    if (text.starts_with("[dynamic] ")) {
      method.is_dynamic = true;
      method.name = model_.dictionaries.AddString(text.substr(10));
      return model_.dictionaries.AddMethod(method);
    }
    const size_t blank = text.find(' ');
    const std::string_view name = text.substr(0, blank);
    if (blank != text.npos) {
      Type argument;
      argument.name = model_.dictionaries.AddString(text.substr(blank + 1));
      method.arguments.push_back(model_.dictionaries.AddType(argument));
    }
    const size_t dot = name.rfind('.');
    Type type;
    type.name = model_.dictionaries.AddString(name.substr(0, dot));
    type.module = method.module = ModuleOf(name);
    method.type = model_.dictionaries.AddType(type);
    method.name = model_.dictionaries.AddString(name.substr(dot + 1));
    method.is_plumbing = naming::IsPlumbing(name.substr(0, dot), name.substr(dot + 1));
    return model_.dictionaries.AddMethod(method);
  }

  // Innermost first, like the rest of a path here.
  std::vector<MethodId> Path(const std::vector<std::string>& names) {
    std::vector<MethodId> path;
    for (const std::string& name : names) path.push_back(MethodOf(name));
    return path;
  }

  StackId Stack(const std::vector<std::string>& names) {
    StackId stack = 0;
    for (size_t i = names.size(); i-- > 0;) {
      stack = model_.dictionaries.AddStack(stack, MethodOf(names[i]));
    }
    return stack;
  }

  // "Site, through Other", "Site (of others)".
  std::string PlaceOf(const std::vector<std::string>& names) {
    const std::vector<MethodId> path = Path(names);
    Places places(model_);
    const Place place = places.Find(path);
    std::string text = MethodDisplayName(model_.dictionaries, place.site);
    if (place.through != 0) {
      text += ", through " + MethodDisplayName(model_.dictionaries, place.through);
    }
    return text + (place.is_yours ? "" : " (of others)");
  }

  Model model_;
  std::vector<std::pair<std::string, ModuleId>> modules_;
};

const std::vector<std::string> kRequest = {
    "Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke",
    "Tracing.InvokeAsync",
    "Program+<>c+<<<Main>$>b__0_2>d.MoveNext",
    "System.Runtime.CompilerServices.AsyncMethodBuilderCore.Start",
    "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol.ProcessRequests",
    "System.Threading.ThreadPoolWorkQueue.Dispatch",
    "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
    "System.Threading.Thread.StartCallback"};

// `inner` in the course of a request.
std::vector<std::string> InRequest(std::vector<std::string> inner) {
  inner.insert(inner.end(), kRequest.begin(), kRequest.end());
  return inner;
}

TEST_F(PlacesTest, TheSiteIsTheInnermostOfYoursWithWhatItCalled) {
  EXPECT_EQ("Acme.Stock.Repo.Get, through System.Linq.Enumerable.First<int>",
            PlaceOf(InRequest({"System.Linq.ThrowHelper.ThrowNoMatchException",
                               "System.Linq.Enumerable.First System.Int32", "Acme.Stock.Repo.Get",
                               "Program+<>c.<<Main>$>b__0_4", "[dynamic] lambda_method7"})));
  EXPECT_EQ("Acme.Stock.Repo.Get", PlaceOf(InRequest({"Acme.Stock.Repo.Get"})));
}

// First parts, rests after an await, other instantiations, dynamic methods and other middleware.
TEST_F(PlacesTest, VariantsOfAPathAreOnePlace) {
  const std::vector<std::vector<std::string>> paths = {
      {"Acme.Stock.Repo+<GetAsync>d__4.MoveNext",
       "System.Runtime.CompilerServices.AsyncMethodBuilderCore.Start", "Acme.Stock.Repo.GetAsync",
       "Program+<>c.<<Main>$>b__0_5", "[dynamic] lambda_method170"},
      {"System.Linq.ThrowHelper.ThrowNoMatchException", "Acme.Stock.Repo+<GetAsync>d__4.MoveNext",
       "System.Threading.ExecutionContext.RunInternal",
       "System.Threading.ThreadPoolWorkQueue.Dispatch"},
      {"System.Linq.Enumerable.Single System.__Canon", "Acme.Stock.Repo.GetAsync System.__Canon"},
      {"System.Linq.Enumerable.Single System.Int32", "Acme.Stock.Repo.GetAsync System.Int32",
       "StockController.Get", "[dynamic] lambda_method4"},
      {"[dynamic] lambda_method9", "Acme.Stock.Repo.GetAsync", "Tracing.InvokeAsync"}};
  Places places(model_);
  const PlaceId first = places.Of(Path(paths[0]));
  EXPECT_NE(0u, first);
  for (const std::vector<std::string>& path : paths) {
    EXPECT_EQ(first, places.Of(Path(path))) << path[0];
    EXPECT_EQ(first, places.Of(Path(InRequest(path)))) << path[0];
  }
  EXPECT_NE(first, places.Of(Path({"Acme.Stock.Repo.Get"})));
}

TEST_F(PlacesTest, LambdasOfOneMethodAreTwoPlaces) {
  Places places(model_);
  EXPECT_NE(places.Of(Path({"Program+<>c.<<Main>$>b__0_4"})),
            places.Of(Path({"Program+<>c.<<Main>$>b__0_5"})));
}

// What the framework or a package throws further down is not the middleware's.
TEST_F(PlacesTest, WhoOnlyPassesARequestOnIsNoSite) {
  EXPECT_EQ("Microsoft.AspNetCore.Http.Features.FormFeature.ReadForm (of others)",
            PlaceOf(InRequest({"Microsoft.AspNetCore.Http.Features.FormFeature.ReadForm"})));
  EXPECT_EQ(
      "Microsoft.EntityFrameworkCore.Query.QueryCompiler.Execute, through "
      "System.Threading.Channels.Reader.Read (of others)",
      PlaceOf(InRequest({"System.Threading.Channels.Reader.Read",
                         "Microsoft.EntityFrameworkCore.Query.QueryCompiler.Execute"})));
  // What it throws itself is.
  EXPECT_EQ("Tracing.InvokeAsync, through System.Number.ThrowFormatException",
            PlaceOf({"System.Number.ThrowFormatException", "Tracing.InvokeAsync"}));
}

// A method of yours that completes runs its awaiter, but did not call that.
TEST_F(PlacesTest, WhatGoesOnAfterAnAwaitIsNotOfWhoCompletedIt) {
  const std::vector<std::string> completes = {
      "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1.MoveNext",
      "System.Threading.Tasks.AwaitTaskContinuation.RunOrScheduleAction",
      "System.Threading.Tasks.Task.RunContinuations",
      "System.Runtime.CompilerServices.AsyncTaskMethodBuilder.SetResult",
      "Acme.Stock.Repo+<GetAsync>d__4.MoveNext"};
  const auto after = [&](std::vector<std::string> inner) {
    inner.insert(inner.end(), completes.begin(), completes.end());
    return inner;
  };
  EXPECT_EQ("System.Net.Renderer.Flush (of others)",
            PlaceOf(after({"System.Net.Renderer.Flush", "System.Net.Renderer+<Show>d__2.MoveNext",
                           "System.Threading.ExecutionContext.RunInternal"})));
  EXPECT_EQ("System.Net.Renderer.Show (of others)",
            PlaceOf(after({"System.Net.Renderer+<Show>d__2.MoveNext"})));
  EXPECT_EQ("Tracing.InvokeAsync, through System.Net.Renderer.Flush",
            PlaceOf(after({"System.Net.Renderer.Flush", "Tracing+<InvokeAsync>d__1.MoveNext"})));
  // A delegate that runs in its own context was called all the same.
  EXPECT_EQ("Acme.Stock.Repo.GetAsync, through System.Net.Renderer.Draw",
            PlaceOf({"System.Net.Renderer.Flush", "System.Threading.ExecutionContext.RunInternal",
                     "System.Net.Renderer.Draw", "Acme.Stock.Repo+<GetAsync>d__4.MoveNext"}));
}

TEST_F(PlacesTest, WithoutCodeOfYoursAPlaceIsWhereOthersDidIt) {
  EXPECT_EQ("System.Net.Sockets.Socket.Receive (of others)",
            PlaceOf({"System.ThrowHelper.ThrowObjectDisposedException",
                     "System.Net.Sockets.Socket.Receive", "System.IO.Stream.Read"}));
  EXPECT_EQ("System.ThrowHelper.ThrowArgument (of others)",
            PlaceOf({"System.ThrowHelper.ThrowArgument"}));
  Places places(model_);
  EXPECT_EQ(0u, places.Of(std::vector<MethodId>()));
  EXPECT_EQ(0u, places.Of(std::vector<MethodId>{0, 0}));
}

TEST_F(PlacesTest, OwnersGoByTheTreeThatTheCompilerWorkedIn) {
  ModuleOwners owners(model_.dictionaries, "Web");
  const std::vector<ModuleOwner> expected = {ModuleOwner::kYours,     ModuleOwner::kYours,
                                             ModuleOwner::kPackage,   ModuleOwner::kPackage,
                                             ModuleOwner::kFramework, ModuleOwner::kFramework};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i], owners.Of(modules_[i].second)) << modules_[i].first;
  }
}

// Installed tools are started by a program called like their command.
TEST_F(PlacesTest, TheEntryAssemblyMayBeSpeltOtherwiseThanTheCommand) {
  Model model;
  const auto add = [&](std::string_view assembly, std::string_view pdb) {
    return AddAssembly(model, "/tools/any/", assembly, pdb);
  };
  const ModuleId parser = add("CommandLine", "C:\\projects\\commandline\\obj\\CommandLine.pdb");
  const ModuleId tool = add("AcmeServer", "/_/src/AcmeServer.pdb");
  const auto owner = [&](std::string_view command, ModuleId id) {
    ModuleOwners owners(model.dictionaries, command);
    return owners.Of(id);
  };
  for (const char* command : {"AcmeServer", "acmeserver", "acme-server"}) {
    EXPECT_EQ(owner(command, tool), ModuleOwner::kYours) << command;
    EXPECT_EQ(owner(command, parser), ModuleOwner::kPackage) << command;
  }
  EXPECT_EQ(owner("acme", parser), ModuleOwner::kYours);  // unknown
  const ModuleId mail = add("Acme.Mail", "/_/src/Acme.Mail.pdb");
  EXPECT_EQ(owner("mail", mail), ModuleOwner::kYours);
  EXPECT_EQ(owner("mail", parser), ModuleOwner::kPackage);
  add("Other.AcmeServer", "/home/ann/Other.AcmeServer.pdb");
  add("System.Mail2", "/_/src/System.Mail2.pdb");
  EXPECT_EQ(owner("acme-server", tool), ModuleOwner::kYours);  // the whole name is more specific
  EXPECT_EQ(owner("mail2", parser), ModuleOwner::kYours);      // not a tool: the framework's
  // One with exactly this name is it.
  const ModuleId exact = add("acme-server", "/_/src/shim.pdb");
  EXPECT_EQ(owner("acme-server", exact), ModuleOwner::kYours);
  EXPECT_EQ(owner("acme-server", tool), ModuleOwner::kPackage);
}

// Built on a server, where all source trees look alike: by the family of the name.
TEST_F(PlacesTest, WhereTreesShowNothingTheNamesFamilyDecides) {
  Model model;
  const auto add = [&](std::string_view assembly, std::string_view pdb) {
    return AddAssembly(model, "/app/", assembly, pdb);
  };
  const ModuleId web = add("Shop.Web", "/_/src/Shop.Web/obj/Release/Shop.Web.pdb");
  const ModuleId core = add("Shop.Core", "/_/src/Shop.Core/obj/Release/Shop.Core.pdb");
  const ModuleId json = add("Newtonsoft.Json", "/_/Src/Newtonsoft.Json/obj/Newtonsoft.Json.pdb");
  const ModuleId bare = add("Stripped", "");
  ModuleOwners owners(model.dictionaries, "Shop.Web");
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(web));
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(core));
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(json));
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(bare));
  // A host's code is not the application; what it runs is.
  ModuleOwners tests(model.dictionaries, "testhost");
  EXPECT_EQ(ModuleOwner::kYours, tests.Of(bare));
  EXPECT_EQ(ModuleOwner::kPackage, tests.Of(json));
}

// The PDBs of some packages have no folders; those of tests that were just compiled have.
TEST_F(PlacesTest, InATestHostWhatWasCompiledElsewhereIsAPackage) {
  Model model;
  const auto add = [&](std::string_view assembly, std::string_view pdb) {
    return AddAssembly(model, "/src/Shop.Tests/bin/", assembly, pdb);
  };
  const ModuleId runner = add("xunit.execution.dotnet", "xunit.execution.dotnet.pdb");
  EXPECT_EQ(ModuleOwner::kYours, ModuleOwners(model.dictionaries, "testhost").Of(runner));
  const ModuleId tests = add("Shop.Tests", "/src/Shop.Tests/obj/Shop.Tests.pdb");
  ModuleOwners owners(model.dictionaries, "testhost");
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(runner));
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(tests));
}

TEST(ModuleOwnersTest, KnowsFoldersOfBothSystems) {
  Model model;
  AddAssembly(model, R"(C:\srv\shop\)", "Shop", R"(D:\src\Shop\Shop.pdb)");
  const ModuleId cached = AddAssembly(
      model, R"(C:\Users\ann\.nuget\packages\shop.client\1.0.0\lib\)", "Shop.Client", "");
  const ModuleId compiler = AddAssembly(
      model, R"(C:\Program Files\dotnet\shared\Microsoft.NETCore.App\10.0.0\)", "Mono.Linq", "");
  const ModuleId below = AddAssembly(model, "/srv/shared/packages/", "Shop.Core", "");

  ModuleOwners owners(model.dictionaries, "Shop");
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(cached));
  EXPECT_EQ(ModuleOwner::kFramework, owners.Of(compiler));
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(below));
}

// As build servers compile them: the PDBs' paths say nothing.
TEST(ModuleOwnersTest, WhatWasCompiledFromTheSameRevisionIsYours) {
  Model model;
  const auto add = [&](std::string_view name, std::string_view pdb, std::string_view revision) {
    return AddAssembly(model, "/app/", name, pdb, revision);
  };
  add("Shop", "/_/src/Shop/Shop.pdb", "b53c6d");
  const ModuleId storage = add("Acme.Storage", "/_/src/Storage/Acme.Storage.pdb", "b53c6d");
  const ModuleId client = add("Shop.Client", "/_/src/Shop.Client.pdb", "77aa01");
  const ModuleId core = add("Shop.Core", "/_/src/Shop.Core.pdb", "");
  const ModuleId mail = add("Mail", "/_/src/Mail.pdb", "");
  const ModuleId extensions = add("System.Shop", "/_/src/System.Shop.pdb", "b53c6d");
  ModuleOwners owners(model.dictionaries, "Shop");
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(storage));
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(client));
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(core));
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(mail));
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(extensions));
}

// On a developer's machine, a project that was not compiled again since the last commit.
TEST(ModuleOwnersTest, WhatWasCompiledInYourTreeIsYoursWhateverItsRevision) {
  Model model;
  AddAssembly(model, "/app/", "Shop", "/src/Shop/Shop.pdb", "b53c6d");
  const ModuleId core = AddAssembly(model, "/app/", "Core", "/src/Core/Core.pdb", "b53c6c");
  EXPECT_EQ(ModuleOwner::kYours, ModuleOwners(model.dictionaries, "Shop").Of(core));
}

TEST(ModuleOwnersTest, WherePdbsHaveOnlyNamesTheFirstWordsCount) {
  Model model;
  AddAssembly(model, "/app/", "ShopServer", "ShopServer.pdb");
  const ModuleId core = AddAssembly(model, "/app/", "Shop.Core", "Shop.Core.pdb");
  const ModuleId built = AddAssembly(model, "/app/", "Shop.Client", "/_/Shop.Client.pdb");
  const ModuleId other = AddAssembly(model, "/app/", "Sho.Core", "Sho.Core.pdb");
  ModuleOwners owners(model.dictionaries, "ShopServer");
  EXPECT_EQ(ModuleOwner::kYours, owners.Of(core));
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(built));
  EXPECT_EQ(ModuleOwner::kPackage, owners.Of(other));
}

TEST(BuildTree, IsWhatOneCheckoutOrOneUserHasInCommon) {
  EXPECT_EQ("/src", BuildTree("/src/Shop/obj/Release/Shop.pdb"));
  EXPECT_EQ("/home/ann", BuildTree("/home/ann/dev/shop/obj/Shop.pdb"));
  EXPECT_EQ("/home/runner/work/shop", BuildTree("/home/runner/work/shop/shop/obj/Shop.pdb"));
  EXPECT_EQ("/C:/Users/ann", BuildTree("C:\\Users\\ann\\shop\\obj\\Shop.pdb"));
  EXPECT_EQ("/D:/a/shop", BuildTree("D:\\a\\shop\\shop\\obj\\Shop.pdb"));
  EXPECT_EQ("", BuildTree("/_/src/Shop/obj/Shop.pdb"));
  EXPECT_EQ("", BuildTree("/_1/src/Shop/obj/Shop.pdb"));
  EXPECT_EQ("", BuildTree("/home/vsts/work/1/s/src/Shop/obj/Shop.pdb"));
  EXPECT_EQ("", BuildTree("Shop.pdb"));
  EXPECT_EQ("", BuildTree(""));
}

TEST_F(PlacesTest, ExceptionsOfOnePlaceAreOneFindingWithItsPaths) {
  const auto thrown = [this](const std::vector<std::string>& path, uint64_t count) {
    ExceptionGroup group;
    Type type;
    type.name = model_.dictionaries.AddString("System.InvalidOperationException");
    group.type = model_.dictionaries.AddType(type);
    group.stack = Stack(path);
    group.count = count;
    model_.exceptions.groups.push_back(group);
  };
  for (int i = 0; i < 8; ++i) {
    thrown({"System.Linq.Enumerable.First System.__Canon", "Acme.Stock.Repo.Get",
            "Program+<>c.<<Main>$>b__0_" + std::to_string(i)},
           10 + static_cast<uint64_t>(i));
  }
  thrown({"Acme.Stock.Repo.Count"}, 5);
  const ExceptionReport all = AnalyzeExceptions(model_, {}, INT64_MIN, INT64_MAX);
  ASSERT_EQ(2u, all.findings.size());
  const ExceptionFinding& first = all.findings[0];
  EXPECT_EQ(108u, first.group.count);
  EXPECT_EQ("Acme.Stock.Repo.Get", all.names.Display(first.place.site));
  ASSERT_EQ(8u, first.variants.size());
  EXPECT_EQ(17u, first.variants[0].count);
  EXPECT_EQ(first.variants[0].path, first.path);
  EXPECT_EQ(10u, first.variants[7].count);
  // A filter counts the paths that it names, not all of their place.
  ExceptionQuery query;
  query.method = "Main.lambda#3";
  const ExceptionReport some = AnalyzeExceptions(model_, query, INT64_MIN, INT64_MAX);
  ASSERT_EQ(1u, some.findings.size());
  EXPECT_EQ(13u, some.findings[0].group.count);
}

TEST_F(PlacesTest, WaitsOfOnePlaceAreOneRowWithItsStacks) {
  OpenWait open{.id = 1, .kind = WaitKind::kMonitor, .lock = 7};
  for (uint64_t i = 0; i < 20; ++i) {
    WaitGroup group;
    group.kind = WaitKind::kMonitor;
    group.stack =
        Stack({"System.Threading.Monitor.Enter_Slowpath", "System.Threading.Monitor.Enter",
               "Acme.Stock.Repo.Get", "Program+<>c.<<Main>$>b__0_" + std::to_string(i)});
    group.count = 2;
    group.total_ns = 100 + i;
    group.longest_ns = 60 + i;
    group.longest_at_ns = static_cast<int64_t>(i);
    model_.waits.groups.push_back(group);
    open.stack = group.stack;
  }
  model_.facts.last_ns = 1000;
  model_.waits.open.push_back(open);
  const LockReport report = AnalyzeLocks(model_);
  ASSERT_EQ(1u, report.locks.size());
  const WaitPlace& place = report.locks[0];
  EXPECT_EQ("Acme.Stock.Repo.Get", report.names.Display(place.site));
  EXPECT_EQ(41u, place.count());
  EXPECT_EQ(20u * 100 + 190 + 1000, place.total_ns());
  EXPECT_EQ(1000u, place.longest_ns());
  EXPECT_EQ(79u, place.group.longest_ns);
  EXPECT_EQ(19, place.group.longest_at_ns);
  ASSERT_EQ(20u, place.variants.size());
  EXPECT_EQ(1119u, place.variants[0].total_ns);
  EXPECT_EQ(3u, place.variants[0].count);
}

}  // namespace
}  // namespace hindsight::analyzer
