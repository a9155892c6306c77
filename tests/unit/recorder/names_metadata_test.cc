// Metadata is read in a module's image, by a reader of the runtime; the runtime's own only when
// that is not enough. The image is real memory, the reader is not.
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "recorder/names/metadata_opener.h"
#include "recorder/names/scope.h"
#include "tests/unit/recorder/fake_runtime.h"
#include "tests/unit/recorder/test_image.h"

namespace hindsight::recorder {
namespace {

constexpr clr::ModuleID kModule = 7;
constexpr uint32_t kMetadataBytes = 0x80;

struct ImageWithMetadata : TestImage {
  static constexpr uint32_t kPlace = 0x100;  // in the section
  explicit ImageWithMetadata(bool flat) : TestImage(flat) {
    PutDirectory(MappedImage::DirectoryIndex::kClr, kRva, 72);
    Put<uint32_t>(section, 72);
    Put<uint32_t>(section + 8, kRva + kPlace);
    Put<uint32_t>(section + 12, kMetadataBytes);
    Put<uint32_t>(section + kPlace, 0x424a5342);
  }
  uintptr_t base() const { return reinterpret_cast<uintptr_t>(bytes.data()); }
  const uint8_t* metadata() const { return bytes.data() + section + kPlace; }
  std::span<const uint8_t> Find(bool flat) const {
    return FindMetadata(ReadAt(base()), base(), flat);
  }
};

TEST(FindMetadata, ReadsBothLayouts) {
  for (const bool is_flat : {false, true}) {
    const ImageWithMetadata image(is_flat);
    const std::span<const uint8_t> found = image.Find(is_flat);
    EXPECT_EQ(found.data(), image.metadata());
    EXPECT_EQ(found.size(), kMetadataBytes);
    EXPECT_TRUE(image.Find(!is_flat).empty());
  }
}

TEST(FindMetadata, IsInsideTheImage) {
  for (const uint32_t bytes : {0u, 4u, 0x1000u, 0xffffffffu}) {
    for (const bool is_flat : {false, true}) {
      ImageWithMetadata image(is_flat);
      image.Put(image.section + 12, bytes);
      EXPECT_TRUE(image.Find(is_flat).empty()) << bytes;
    }
  }
  ImageWithMetadata unmapped(false);
  unmapped.bytes.resize(unmapped.section + ImageWithMetadata::kPlace + kMetadataBytes - 1);
  EXPECT_TRUE(unmapped.Find(false).empty());
}

TEST(FindMetadata, SurvivesAnyByte) {
  for (const bool is_flat : {false, true}) {
    for (size_t i = 0; i < 0x280; ++i) {
      for (const uint8_t value : {0x00, 0x7f, 0xff}) {
        ImageWithMetadata image(is_flat);
        image.bytes[i] = value;
        const std::span<const uint8_t> found = image.Find(is_flat);
        EXPECT_LE(found.size(), image.bytes.size());
      }
    }
  }
}

// Knows the types up to a number, and counts the references to itself.
class FakeImport {
 public:
  explicit FakeImport(uint32_t types) : types_(types) {
    table_.fill(reinterpret_cast<void*>(&Unexpected));
    using Import = clr::IMetaDataImport2;
    Put(&Import::QueryInterface, &Query);
    Put(&Import::Release, &Release);
    Put(&Import::GetTypeDefProps, &TypeDef);
    Put(&Import::GetNestedClassProps, &Nested);
  }
  clr::IUnknown* Open() {
    ++references;
    return reinterpret_cast<clr::IUnknown*>(&object_);
  }

  int references = 0;

 private:
  template <typename Method, typename Function>
  void Put(Method method, Function function) {
    table_[FakeRuntime::SlotOf(method)] = reinterpret_cast<void*>(function);
  }
  struct Object {
    void** table;
    FakeImport* import;
  };
  static FakeImport& Of(void* self) { return *static_cast<Object*>(self)->import; }
  static clr::HRESULT Unexpected(void*) { std::abort(); }
  static clr::HRESULT Query(void* self, const clr::GUID&, void** out) {
    ++Of(self).references;
    *out = self;
    return clr::S_OK;
  }
  static uint32_t Release(void* self) { return static_cast<uint32_t>(--Of(self).references); }
  static clr::HRESULT TypeDef(void* self, clr::mdToken token, char16_t* name, uint32_t,
                              uint32_t* length, uint32_t*, clr::mdToken*) {
    if ((token & 0xffffff) > Of(self).types_) return clr::E_FAIL;
    constexpr std::u16string_view kName = u"Order";
    name[kName.copy(name, kName.size())] = u'\0';
    *length = kName.size() + 1;
    return clr::S_OK;
  }
  static clr::HRESULT Nested(void*, clr::mdToken, clr::mdToken*) { return clr::E_FAIL; }

  const uint32_t types_;
  std::array<void*, 128> table_;
  Object object_{table_.data(), this};
};

class MetadataOpenerTest : public testing::Test {
 protected:
  MetadataOpenerTest() {
    test_ = this;
    dispenser_.fill(nullptr);
    dispenser_[FakeRuntime::SlotOf(&clr::IMetaDataDispenser::OpenScopeOnMemory)] =
        reinterpret_cast<void*>(&OpenMemory);
    dispenser_[FakeRuntime::SlotOf(&clr::IMetaDataDispenser::Release)] =
        reinterpret_cast<void*>(&ReleaseDispenser);
    runtime_.Put(&clr::ICorProfilerInfo10::GetModuleInfo2, &ModuleInfo);
    runtime_.Put(&clr::ICorProfilerInfo10::GetModuleMetaData, &Editable);
  }
  ~MetadataOpenerTest() override {
    EXPECT_EQ(in_image_.references, 0);
    EXPECT_EQ(editable_.references, 0);
  }

  static clr::HRESULT Dispenser(const clr::GUID&, const clr::GUID&, void** out) {
    *out = &test_->dispenser_object_;
    return clr::S_OK;
  }
  static uint32_t ReleaseDispenser(void*) { return 1; }
  static clr::HRESULT OpenMemory(void*, const void* data, uint32_t bytes, uint32_t flags,
                                 const clr::GUID&, clr::IUnknown** out) {
    EXPECT_EQ(data, test_->image_.metadata());
    EXPECT_EQ(bytes, kMetadataBytes);
    EXPECT_EQ(flags, clr::kOpenReadOnly);
    *out = test_->in_image_.Open();
    return clr::S_OK;
  }
  static clr::HRESULT ModuleInfo(void*, clr::ModuleID, const uint8_t** base, uint32_t,
                                 uint32_t* length, char16_t*, clr::AssemblyID*, uint32_t* flags) {
    *base = test_->has_image_ ? test_->image_.bytes.data() : nullptr;
    *length = 0;
    *flags = test_->flags_;
    return clr::S_OK;
  }
  static clr::HRESULT Editable(void*, clr::ModuleID, uint32_t, const clr::GUID&,
                               clr::IUnknown** out) {
    ++test_->conversions_;
    *out = test_->editable_.Open();
    return clr::S_OK;
  }

  static inline MetadataOpenerTest* test_ = nullptr;
  ImageWithMetadata image_{false};
  uint32_t flags_ = clr::kModuleDisk;
  bool has_image_ = true;
  int conversions_ = 0;
  FakeImport in_image_{3}, editable_{5};
  FakeRuntime runtime_;
  std::array<void*, 8> dispenser_;
  void** dispenser_object_ = dispenser_.data();
  TextBuffer text_;
};

TEST_F(MetadataOpenerTest, TheRuntimesOwnMetadataIsLeftAlone) {
  const MetadataOpener opener(runtime_.info(), &Dispenser);
  for (const uint32_t flags : {clr::kModuleDisk, clr::kModuleDisk | clr::kModuleFlat}) {
    flags_ = flags;  // it may be wrong: both layouts are tried
    Scope scope(opener, kModule, text_);
    EXPECT_EQ(scope.TypeName(0x02000003), "Order");
  }
  EXPECT_EQ(conversions_, 0);
}

TEST_F(MetadataOpenerTest, WhatWasAddedAtRunTimeIsFound) {
  const MetadataOpener opener(runtime_.info(), &Dispenser);
  Scope scope(opener, kModule, text_);
  EXPECT_EQ(scope.TypeName(0x02000004), "Order");
  EXPECT_EQ(scope.TypeName(0x02000005), "Order");
  EXPECT_EQ(scope.TypeName(0x02000001), "Order");
  EXPECT_EQ(scope.TypeName(0x02000006), "");
  EXPECT_EQ(conversions_, 1);
}

TEST_F(MetadataOpenerTest, AModuleWithoutImageIsReadThroughTheRuntime) {
  const MetadataOpener opener(runtime_.info(), &Dispenser);
  flags_ = clr::kModuleDynamic;
  EXPECT_EQ(Scope(opener, kModule, text_).TypeName(0x02000005), "Order");
  flags_ = clr::kModuleDisk;
  has_image_ = false;
  EXPECT_EQ(Scope(opener, kModule, text_).TypeName(0x02000005), "Order");
  EXPECT_TRUE(opener.Open(kModule));
  EXPECT_EQ(conversions_, 3);
}

TEST_F(MetadataOpenerTest, ARuntimeWithoutTheReaderIsAsked) {
  const MetadataOpener opener(runtime_.info(), nullptr);
  EXPECT_EQ(Scope(opener, kModule, text_).TypeName(0x02000005), "Order");
  EXPECT_EQ(conversions_, 1);
}

}  // namespace
}  // namespace hindsight::recorder
