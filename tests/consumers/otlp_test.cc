// Profiles for OpenTelemetry, decoded as a collector does.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/exports/otlp_profiles.pb.h"
#include "tests/consumers/profile_recording.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

class OtlpProfiles : public ::testing::Test {
 protected:
  OtlpProfiles() { ProfileRecording({}, truth_).WriteFolder(folder_ / "shop"); }

  otlp::ProfilesData Export(const std::string& signal) {
    file_ = folder_ / (signal + ".otlp");
    const RunResult result =
        RunProgram({HINDSIGHT_BINARY, "export", folder_ / "shop", "--signal", signal, "-o", file_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::ifstream stream(file_, std::ios::binary);
    otlp::ProfilesData data;
    EXPECT_TRUE(data.ParseFromIstream(&stream));
    return data;
  }

  const TempDir folder_;
  ProfileTruth truth_;
  std::string file_;
};

const otlp::ScopeProfiles& ScopeOf(const otlp::ProfilesData& data) {
  return data.resource_profiles(0).scope_profiles(0);
}

int64_t TotalOf(const otlp::Profile& profile) {
  int64_t total = 0;
  for (const otlp::Sample& sample : profile.samples()) total += sample.values(0);
  return total;
}

std::string NameOf(const otlp::ProfilesData& data, const otlp::ValueType& type) {
  return data.dictionary().string_table(type.type_strindex()) + "/" +
         data.dictionary().string_table(type.unit_strindex());
}

TEST_F(OtlpProfiles, HaveAllOfEachSignal) {
  const std::map<std::string, std::vector<std::pair<std::string, uint64_t>>> expected = {
      {"cpu", {{"cpu/nanoseconds", truth_.cpu_ns}, {"samples/count", truth_.samples}}},
      {"exceptions", {{"exceptions/count", truth_.exceptions}}},
      {"locks",
       {{"lock_delay/nanoseconds", truth_.lock_ns}, {"lock_contentions/count", truth_.lock_waits}}},
  };
  for (const auto& [signal, profiles] : expected) {
    const otlp::ProfilesData data = Export(signal);
    ASSERT_EQ(data.resource_profiles_size(), 1) << signal;
    ASSERT_EQ(ScopeOf(data).profiles_size(), static_cast<int>(profiles.size())) << signal;
    for (size_t i = 0; i < profiles.size(); ++i) {
      const otlp::Profile& profile = ScopeOf(data).profiles(static_cast<int>(i));
      EXPECT_EQ(NameOf(data, profile.sample_type()), profiles[i].first);
      EXPECT_EQ(static_cast<uint64_t>(TotalOf(profile)), profiles[i].second) << signal;
      EXPECT_GT(profile.time_unix_nano(), 0u);
      EXPECT_GT(profile.duration_nano(), 0u);
    }
  }
}

TEST_F(OtlpProfiles, SayWhatTheyAreOf) {
  const otlp::ProfilesData data = Export("cpu");
  std::map<std::string, std::string> attributes;
  for (const otlp::KeyValue& attribute : data.resource_profiles(0).resource().attributes()) {
    attributes[attribute.key()] = attribute.value().has_string_value()
                                      ? attribute.value().string_value()
                                      : std::to_string(attribute.value().int_value());
  }
  EXPECT_EQ(attributes["service.name"], "Shop");
  EXPECT_EQ(attributes["host.name"], "till-1");
  EXPECT_EQ(attributes["process.runtime.version"], "10.0.1");
  EXPECT_GT(std::stoi("0" + attributes["process.pid"]), 0);
  EXPECT_EQ(attributes["hindsight.build"].size(), 32u);
  EXPECT_EQ(ScopeOf(data).scope().name(), "hindsight");
  const otlp::Profile& cpu = ScopeOf(data).profiles(0);
  EXPECT_EQ(NameOf(data, cpu.period_type()), "cpu/nanoseconds");
  EXPECT_EQ(cpu.period(), 10'000'000);
}

// What the specification requires of tables.
TEST_F(OtlpProfiles, TablesBeginWithNothingAndHaveNothingThatNobodyRefersTo) {
  const otlp::ProfilesData data = Export("cpu");
  const otlp::ProfilesDictionary& tables = data.dictionary();
  ASSERT_GT(tables.stack_table_size(), 1);
  EXPECT_EQ(tables.string_table(0), "");
  EXPECT_EQ(tables.mapping_table(0).ByteSizeLong(), 0u);
  EXPECT_EQ(tables.location_table(0).ByteSizeLong(), 0u);
  EXPECT_EQ(tables.function_table(0).ByteSizeLong(), 0u);
  EXPECT_EQ(tables.attribute_table(0).ByteSizeLong(), 0u);
  EXPECT_EQ(tables.stack_table(0).ByteSizeLong(), 0u);
  EXPECT_EQ(tables.link_table(0).trace_id(), std::string(16, '\0'));
  EXPECT_EQ(tables.link_table(0).span_id(), std::string(8, '\0'));

  std::set<int> strings = {0}, mappings = {0}, functions = {0}, attributes = {0}, locations = {0},
                stacks = {0};
  std::set<std::vector<int>> identities;
  for (const otlp::Profile& profile : ScopeOf(data).profiles()) {
    for (const otlp::ValueType& type : {profile.sample_type(), profile.period_type()}) {
      strings.insert(type.type_strindex());
      strings.insert(type.unit_strindex());
    }
    identities.clear();
    for (const otlp::Sample& sample : profile.samples()) {
      stacks.insert(sample.stack_index());
      EXPECT_EQ(sample.values_size(), 1);
      std::vector<int> identity = {sample.stack_index()};
      for (const int attribute : sample.attribute_indices()) {
        attributes.insert(attribute);
        identity.push_back(attribute);
      }
      EXPECT_TRUE(identities.insert(identity).second);  // samples of one identity are one
    }
  }
  for (const otlp::Stack& stack : tables.stack_table()) {
    locations.insert(stack.location_indices().begin(), stack.location_indices().end());
  }
  for (const otlp::Location& location : tables.location_table()) {
    mappings.insert(location.mapping_index());
    attributes.insert(location.attribute_indices().begin(), location.attribute_indices().end());
    for (const otlp::Line& line : location.lines()) functions.insert(line.function_index());
  }
  for (const otlp::Function& function : tables.function_table()) {
    strings.insert(
        {function.name_strindex(), function.system_name_strindex(), function.filename_strindex()});
  }
  for (const otlp::Mapping& mapping : tables.mapping_table()) {
    strings.insert(mapping.filename_strindex());
    attributes.insert(mapping.attribute_indices().begin(), mapping.attribute_indices().end());
  }
  for (const otlp::KeyValueAndUnit& attribute : tables.attribute_table()) {
    strings.insert({attribute.key_strindex(), attribute.unit_strindex()});
  }
  // Each is referred to, and nothing else.
  const auto has_all = [](const std::set<int>& seen, int size) {
    return seen.size() == static_cast<size_t>(size) && *seen.rbegin() == size - 1;
  };
  EXPECT_TRUE(has_all(strings, tables.string_table_size()));
  EXPECT_TRUE(has_all(mappings, tables.mapping_table_size()));
  EXPECT_TRUE(has_all(functions, tables.function_table_size()));
  EXPECT_TRUE(has_all(attributes, tables.attribute_table_size()));
  EXPECT_TRUE(has_all(locations, tables.location_table_size()));
  EXPECT_TRUE(has_all(stacks, tables.stack_table_size()));
}

// A stack begins with what ran.
TEST_F(OtlpProfiles, StacksAreInnermostFirst) {
  const otlp::ProfilesData data = Export("cpu");
  const otlp::ProfilesDictionary& tables = data.dictionary();
  std::set<std::string> innermost;
  for (const otlp::Sample& sample : ScopeOf(data).profiles(0).samples()) {
    const otlp::Stack& stack = tables.stack_table(sample.stack_index());
    const otlp::Location& location = tables.location_table(stack.location_indices(0));
    const otlp::Function& function = tables.function_table(location.lines(0).function_index());
    innermost.insert(tables.string_table(function.name_strindex()));
  }
  const RunResult sql = RunProgram(
      {HINDSIGHT_BINARY, "sql", "--json", folder_ / "shop",
       "SELECT DISTINCT m.name FROM cpu_samples s JOIN stacks k ON k.recording = s.recording AND "
       "k.stack = s.stack JOIN methods m ON m.recording = k.recording AND m.method = k.method"});
  ASSERT_EQ(sql.exit_code, 0) << sql.err;
  std::set<std::string> expected;
  const nlohmann::json answer = nlohmann::json::parse(sql.out);
  for (const auto& row : answer["rows"]) {
    expected.insert(row[0].get<std::string>());
  }
  EXPECT_EQ(innermost, expected);
}

#ifdef HINDSIGHT_PROTOC

// By the specification's own numbers, without a schema of ours: the dictionary is field 2 of the
// whole, its strings are field 5, and a sample type is two references.
TEST_F(OtlpProfiles, FieldsHaveTheNumbersOfTheSpecification) {
  Export("cpu");
  const RunResult raw =
      RunProgram({"/bin/sh", "-c", HINDSIGHT_PROTOC " --decode_raw < \"$1\"", "sh", file_});
  ASSERT_EQ(raw.exit_code, 0) << raw.err;
  std::istringstream lines(raw.out);
  std::vector<std::string> path;
  std::map<std::string, std::string> first;  // by path
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find_first_not_of(' ');
    const std::string word = line.substr(at, line.find_first_of(": {", at) - at);
    if (word == "}") {
      path.pop_back();
      continue;
    }
    std::string where;
    for (const std::string& part : path) where += part + ".";
    where += word;
    if (line.ends_with('{')) {
      path.push_back(word);
    } else {
      first.try_emplace(where, line.substr(line.find(": ") + 2));
    }
  }
  EXPECT_EQ(first["1.1.1.1"], "\"service.name\"");
  EXPECT_EQ(first["1.1.1.2.1"], "\"Shop\"");
  EXPECT_EQ(first["1.2.1.1"], "\"hindsight\"");
  EXPECT_TRUE(first.contains("1.2.2.1.1")) << raw.out.substr(0, 2000);  // type of the sample type
  EXPECT_TRUE(first.contains("1.2.2.2.1"));                             // stack of a sample
  EXPECT_TRUE(first.contains("1.2.2.3"));                               // time
  EXPECT_TRUE(first["1.2.2.3"].starts_with("0x")) << first["1.2.2.3"];  // fixed64
  EXPECT_TRUE(first.contains("1.2.2.6"));                               // period
  EXPECT_EQ(first["2.5"], "\"\"");
  EXPECT_TRUE(first.contains("2.1.4"));    // file of a mapping
  EXPECT_TRUE(first.contains("2.2.3.1"));  // function of a line
  EXPECT_TRUE(first.contains("2.3.1"));    // name of a function
  EXPECT_TRUE(first.contains("2.6.1"));    // key of an attribute
}

#endif

}  // namespace
}  // namespace hindsight::testing
