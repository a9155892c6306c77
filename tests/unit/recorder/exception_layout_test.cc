// A runtime that at first does not reveal the layout of an exception.
#include "recorder/sources/exceptions/exception_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "recorder/clr/metadata.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

constexpr clr::ClassID kInvalidOperation = 0x10, kException = 0x20, kObject = 0x30;
constexpr std::u16string_view kExceptionFields[] = {u"_message", u"_innerException",
                                                    u"_stackTrace"};
int g_refusals, g_layout_questions;

clr::HRESULT ClassOfException(void*, clr::ClassID type, clr::ModuleID* module, clr::mdTypeDef*,
                              clr::ClassID* parent, uint32_t, uint32_t*, clr::ClassID*) {
  if (module != nullptr) {
    *module = 1;
    if (type == kInvalidOperation) ++g_layout_questions;
    if (g_refusals > 0 && g_refusals-- > 0) return clr::E_FAIL;
  }
  *parent = type == kInvalidOperation ? kException : type == kException ? kObject : 0;
  return clr::S_OK;
}

clr::HRESULT LayoutOfException(void*, clr::ClassID, clr::COR_FIELD_OFFSET* fields, uint32_t,
                               uint32_t* count, uint32_t*) {
  for (uint32_t i = 0; i < 3; ++i) fields[i] = {i, 8 + 8 * i};
  *count = 3;
  return clr::S_OK;
}

clr::HRESULT LayoutOfString(void*, uint32_t* length, uint32_t* characters) {
  *length = 8;
  *characters = 12;
  return clr::S_OK;
}

clr::HRESULT NameOfField(void*, clr::mdFieldDef field, clr::mdTypeDef*, char16_t* name, uint32_t,
                         uint32_t* length, uint32_t*, const uint8_t**, uint32_t*, uint32_t*,
                         const void**, uint32_t*) {
  std::ranges::copy(kExceptionFields[field], name);
  *length = static_cast<uint32_t>(kExceptionFields[field].size()) + 1;
  return clr::S_OK;
}

uint32_t ReleaseNothing(void*) { return 1; }

clr::HRESULT QueryItself(void* self, const clr::GUID&, void** out) {
  *out = self;
  return clr::S_OK;
}

struct FakeMetadata {
  FakeMetadata() {
    methods[FakeRuntime::SlotOf(&clr::IMetaDataImport::GetFieldProps)] =
        reinterpret_cast<void*>(&NameOfField);
    methods[FakeRuntime::SlotOf(&clr::IMetaDataImport::QueryInterface)] =
        reinterpret_cast<void*>(&QueryItself);
    methods[FakeRuntime::SlotOf(&clr::IMetaDataImport::Release)] =
        reinterpret_cast<void*>(&ReleaseNothing);
  }
  void** table = methods.data();
  std::array<void*, 80> methods = {};
};
FakeMetadata g_metadata;

clr::HRESULT MetadataOfException(void*, clr::ModuleID, uint32_t, const clr::GUID&,
                                 clr::IUnknown** out) {
  *out = reinterpret_cast<clr::IUnknown*>(&g_metadata);
  return clr::S_OK;
}

class ExceptionLayoutTest : public testing::Test {
 protected:
  void SetUp() override {
    runtime_.Put(&clr::ICorProfilerInfo10::GetClassIDInfo2, &ClassOfException);
    runtime_.Put(&clr::ICorProfilerInfo10::GetClassLayout, &LayoutOfException);
    runtime_.Put(&clr::ICorProfilerInfo10::GetStringLayout2, &LayoutOfString);
    runtime_.Put(&clr::ICorProfilerInfo10::GetModuleMetaData, &MetadataOfException);
    g_refusals = g_layout_questions = 0;
  }
  // Exceptions until one can be read; `most` + 1: none could.
  int Throws(int most) {
    int throws = 1;
    while (throws <= most && !layout_.Ready(kInvalidOperation)) ++throws;
    return throws;
  }

  FakeRuntime runtime_;
  ExceptionLayout layout_{runtime_.info()};
};

TEST_F(ExceptionLayoutTest, IsReadOnce) {
  EXPECT_EQ(Throws(10), 1);
  EXPECT_EQ(Throws(10), 1);
  EXPECT_EQ(g_layout_questions, 1);
}

TEST_F(ExceptionLayoutTest, ARefusalIsNotForGood) {
  g_refusals = 2;
  EXPECT_EQ(Throws(100), 16);
  EXPECT_TRUE(layout_.Ready(kInvalidOperation));
  EXPECT_EQ(g_layout_questions, 3);
}

TEST_F(ExceptionLayoutTest, ARuntimeThatAlwaysRefusesIsNotAskedForEver) {
  constexpr int kMany = 200'000;
  g_refusals = kMany;
  EXPECT_EQ(Throws(kMany), kMany + 1);
  EXPECT_EQ(g_layout_questions, 8);
}

}  // namespace
}  // namespace hindsight::recorder
