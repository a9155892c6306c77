#include "recorder/names/signature.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace hindsight::recorder {
namespace {

using Bytes = std::vector<uint8_t>;

// The metadata of an imagined module: TypeRef 0x01000001 is List`1 and so on.
class FixedMetadata : public SignatureResolver {
 public:
  std::string TypeName(clr::mdToken token) override {
    const auto found = names.find(token);
    return found == names.end() ? std::string() : found->second;
  }
  std::span<const uint8_t> TypeSpec(clr::mdToken token) override {
    ++type_specs_read;
    const auto found = type_specs.find(token);
    return found == type_specs.end() ? std::span<const uint8_t>() : found->second;
  }
  std::string GenericParameter(GenericOwner owner, uint32_t index) override {
    if (index != 0) return {};
    return owner == GenericOwner::kType ? "TItem" : "TResult";
  }
  std::string TypeNameByHandle(uintptr_t handle) override {
    return handle == 0x1122334455667788 ? "System.Collections.Generic.List`1" : std::string();
  }
  std::string TypeByHandle(uintptr_t handle) override {
    return handle == 0x1122334455667788 ? "List<string>" : std::string();
  }

  std::map<clr::mdToken, std::string> names = {
      {0x01000001, "System.Collections.Generic.List`1"},
      {0x02000002, "Shop.Cart"},
      {0x02000003, "Shop.Outer+Color"},
      {0x01000004, "System.Runtime.InteropServices.InAttribute"},
      {0x02000400, "Shop.Far"},
  };
  std::map<clr::mdToken, Bytes> type_specs;
  int type_specs_read = 0;
};

// A static method `void M(<parameters>)` whose parameters are written in `types`.
Bytes Method(uint8_t count, const Bytes& types) {
  Bytes signature = {0x00, count, 0x01};
  signature.insert(signature.end(), types.begin(), types.end());
  return signature;
}

std::vector<std::string> Read(const Bytes& signature, bool expected = true) {
  FixedMetadata metadata;
  std::vector<std::string> parameters;
  EXPECT_EQ(ReadParameters(signature, metadata, parameters), expected);
  return parameters;
}

using Names = std::vector<std::string>;

TEST(Signature, ReadsPrimitives) {
  EXPECT_EQ(Read(Method(0, {})), Names{});
  EXPECT_EQ(Read(Method(4, {0x02, 0x08, 0x0d, 0x0e})), (Names{"bool", "int", "double", "string"}));
  EXPECT_EQ(Read(Method(4, {0x18, 0x19, 0x1c, 0x16})),
            (Names{"nint", "nuint", "object", "TypedReference"}));
}

TEST(Signature, LeavesOutThisAndTheGenericCount) {
  EXPECT_EQ(Read({0x20, 0x01, 0x01, 0x08}), Names{"int"});
  EXPECT_EQ(Read({0x30, 0x01, 0x01, 0x1e, 0x00, 0x1e, 0x00}), Names{"TResult"});
}

TEST(Signature, NamesGenericParameters) {
  EXPECT_EQ(Read(Method(3, {0x13, 0x00, 0x1e, 0x00, 0x1e, 0x05})),
            (Names{"TItem", "TResult", "T"}));
}

TEST(Signature, ReadsPointersReferencesAndModifiers) {
  EXPECT_EQ(Read(Method(2, {0x10, 0x08, 0x0f, 0x0f, 0x01})), (Names{"ref int", "void**"}));
  // modreq(InAttribute) int&
  EXPECT_EQ(Read(Method(1, {0x1f, 0x11, 0x10, 0x0a})), Names{"ref long"});
  EXPECT_EQ(Read(Method(1, {0x45, 0x0e})), Names{"string"});
}

TEST(Signature, ReadsArraysOutsideIn) {
  EXPECT_EQ(Read(Method(1, {0x1d, 0x08})), Names{"int[]"});
  // A vector of int[,]; then int[,] of int[].
  EXPECT_EQ(Read(Method(1, {0x1d, 0x14, 0x08, 0x02, 0x00, 0x00})), Names{"int[][,]"});
  EXPECT_EQ(Read(Method(1, {0x14, 0x1d, 0x08, 0x02, 0x00, 0x00})), Names{"int[,][]"});
  // Sizes 3 and 4, lower bounds 0 and 1.
  EXPECT_EQ(Read(Method(1, {0x14, 0x08, 0x02, 0x02, 0x03, 0x04, 0x02, 0x00, 0x02})),
            Names{"int[,]"});
  EXPECT_EQ(Read(Method(1, {0x1d, 0x15, 0x12, 0x05, 0x01, 0x1d, 0x08})), Names{"List<int[]>[]"});
}

TEST(Signature, ResolvesTokensOfEveryLength) {
  EXPECT_EQ(Read(Method(2, {0x12, 0x08, 0x11, 0x0c})), (Names{"Cart", "Outer.Color"}));
  EXPECT_EQ(Read(Method(1, {0x12, 0x90, 0x00})), Names{"Far"});              // 0x02000400
  EXPECT_EQ(Read(Method(1, {0x12, 0xc0, 0x00, 0x10, 0x00})), Names{"Far"});  // the same, longer
  EXPECT_EQ(Read(Method(1, {0x12, 0x7c})), Names{"?"});
}

TEST(Signature, ReadsGenericInstances) {
  EXPECT_EQ(Read(Method(1, {0x15, 0x12, 0x05, 0x01, 0x15, 0x12, 0x05, 0x01, 0x0e})),
            Names{"List<List<string>>"});
  EXPECT_EQ(Read(Method(1, {0x15, 0x12, 0x7c, 0x01, 0x0e})), Names{"?<string>"});
}

TEST(Signature, ReadsFunctionPointers) {
  EXPECT_EQ(Read(Method(1, {0x1b, 0x00, 0x02, 0x01, 0x08, 0x0e})),
            Names{"delegate*<int, string, void>"});
}

TEST(Signature, ReadsTheRuntimesOwnHandles) {
  const Bytes handle = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
  Bytes plain = {0x21};
  plain.insert(plain.end(), handle.begin(), handle.end());
  EXPECT_EQ(Read(Method(1, plain)), Names{"List<string>"});

  Bytes instance = {0x15, 0x21};
  instance.insert(instance.end(), handle.begin(), handle.end());
  instance.insert(instance.end(), {0x01, 0x08});
  EXPECT_EQ(Read(Method(1, instance)), Names{"List<int>"});

  Bytes unknown = {0x21, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Read(Method(1, unknown)), Names{"?"});

  Bytes modified = {0x22, 0x01};
  modified.insert(modified.end(), handle.begin(), handle.end());
  modified.push_back(0x08);
  EXPECT_EQ(Read(Method(1, modified)), Names{"int"});
}

TEST(Signature, FollowsTypeSpecifications) {
  FixedMetadata metadata;
  metadata.type_specs[0x1b000001] = {0x1d, 0x08};
  Names parameters;
  EXPECT_TRUE(ReadParameters(Method(1, {0x12, 0x06}), metadata, parameters));
  EXPECT_EQ(parameters, Names{"int[]"});
}

TEST(Signature, EndsOnSpecificationsThatHoldThemselves) {
  FixedMetadata metadata;
  // Sixteen references to itself at every level: unbounded, this would be 16^32 readings.
  Bytes self = {0x15, 0x12, 0x05, 0x10};
  for (int i = 0; i < 16; ++i) self.insert(self.end(), {0x12, 0x06});
  metadata.type_specs[0x1b000001] = self;
  Names parameters;
  EXPECT_FALSE(ReadParameters(Method(1, {0x12, 0x06}), metadata, parameters));
  EXPECT_LT(metadata.type_specs_read, 10'000);
}

TEST(Signature, KeepsParametersBeforeAFault) {
  EXPECT_EQ(Read(Method(3, {0x08, 0x0e}), false), (Names{"int", "string"}));
  EXPECT_EQ(Read(Method(2, {0x08, 0x3f}), false), Names{"int"});
}

TEST(Signature, RefusesWhatIsNoMethod) {
  EXPECT_EQ(Read({}, false), Names{});
  EXPECT_EQ(Read({0x06, 0x08}, false), Names{});                               // a field
  EXPECT_EQ(Read({0x07, 0x01, 0x08}, false), Names{});                         // locals
  EXPECT_EQ(Read(Method(1, {0x12, 0x07}), false), Names{});                    // no such table
  EXPECT_EQ(Read(Method(1, {0x12, 0xff}), false), Names{});                    // no such length
  EXPECT_EQ(Read(Method(1, {0x14, 0x08, 0x00, 0x00, 0x00}), false), Names{});  // rank 0
}

TEST(Signature, BoundsDepthCountAndText) {
  Bytes deep(200, 0x1d);
  deep.push_back(0x08);
  EXPECT_EQ(Read(Method(1, deep), false), Names{});

  Bytes many = {0x00, 0x81, 0x2c, 0x01};  // 300 parameters
  many.insert(many.end(), 300, 0x08);
  EXPECT_EQ(Read(many).size(), kMaxSignatureParameters);

  FixedMetadata metadata;
  metadata.names[0x02000002] = std::string(kMaxParameterChars - 1, 'x') + "\xc3\xa9" + "tail";
  Names parameters;
  EXPECT_TRUE(ReadParameters(Method(1, {0x12, 0x08}), metadata, parameters));
  EXPECT_EQ(parameters, Names{std::string(kMaxParameterChars - 1, 'x')});
}

// Any bytes: under the sanitizers, this is a small fuzzer that every build runs.
TEST(Signature, SurvivesAnyBytes) {
  std::mt19937 random(20240917);
  constexpr uint8_t kInteresting[] = {0x01, 0x08, 0x0f, 0x10, 0x12, 0x13, 0x14, 0x15,
                                      0x1b, 0x1d, 0x1e, 0x1f, 0x21, 0x22, 0x05, 0x06};
  FixedMetadata metadata;
  metadata.type_specs[0x1b000001] = {0x1d, 0x12, 0x06};
  for (int round = 0; round < 50'000; ++round) {
    Bytes bytes(random() % 48);
    for (uint8_t& byte : bytes) {
      byte = random() % 4 == 0 ? static_cast<uint8_t>(random())
                               : kInteresting[random() % std::size(kInteresting)];
    }
    if (!bytes.empty() && random() % 2 == 0) bytes[0] = 0x00;
    Names parameters;
    ReadParameters(bytes, metadata, parameters);
    ASSERT_LE(parameters.size(), kMaxSignatureParameters);
    for (const std::string& parameter : parameters) {
      ASSERT_LE(parameter.size(), kMaxParameterChars);
    }
  }
}

}  // namespace
}  // namespace hindsight::recorder
