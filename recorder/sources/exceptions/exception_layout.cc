#include "recorder/sources/exceptions/exception_layout.h"

#include <bit>
#include <string_view>

#include "recorder/base/load_word.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxParents = 64;  // longest chain of base classes that is followed
constexpr size_t kMaxFields = 64;   // System.Exception has about 15
constexpr size_t kMaxFieldName = 64;

}  // namespace

bool ExceptionLayout::Ready(clr::ClassID exception_class) {
  State state = state_.load(std::memory_order_acquire);
  if (state == State::kReady) return true;
  if (state == State::kReading || asked_.load(std::memory_order_relaxed) >= kLastAttempt) {
    return false;
  }
  const uint32_t asked = asked_.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool is_attempt = std::has_single_bit(asked) && std::countr_zero(asked) % 2 == 0;
  if (!is_attempt || asked > kLastAttempt ||
      !state_.compare_exchange_strong(state, State::kReading, std::memory_order_acq_rel)) {
    return false;
  }
  const bool ready = Read(exception_class);
  state_.store(ready ? State::kReady : State::kUnread, std::memory_order_release);
  return ready;
}

bool ExceptionLayout::Read(clr::ClassID exception_class) {
  // Exception derives from Object, which has no parent: the last class but one of the chain.
  clr::ClassID base = exception_class;
  clr::ModuleID module = 0;
  for (size_t i = 0; i < kMaxParents; ++i) {
    clr::ModuleID owner = 0;
    clr::mdTypeDef token = 0;
    clr::ClassID parent = 0;
    uint32_t arguments = 0;
    if (clr::Failed(
            info_->GetClassIDInfo2(base, &owner, &token, &parent, 0, &arguments, nullptr))) {
      return false;
    }
    clr::ClassID grandparent = 0;
    if (parent == 0 || clr::Failed(info_->GetClassIDInfo2(parent, nullptr, nullptr, &grandparent, 0,
                                                          &arguments, nullptr))) {
      return false;
    }
    if (grandparent == 0) {
      module = owner;
      break;
    }
    base = parent;
  }
  if (module == 0) return false;

  const MetadataOpener::Metadata metadata = metadata_.Open(module);
  if (!metadata) return false;
  clr::COR_FIELD_OFFSET fields[kMaxFields];
  uint32_t count = 0;
  uint32_t class_size = 0;
  const bool got =
      clr::Succeeded(info_->GetClassLayout(base, fields, kMaxFields, &count, &class_size));
  for (uint32_t i = 0; got && i < count && i < kMaxFields; ++i) {
    char16_t name[kMaxFieldName];
    uint32_t length = 0;
    if (clr::Failed(metadata->GetFieldProps(fields[i].ridOfField, nullptr, name, kMaxFieldName,
                                            &length, nullptr, nullptr, nullptr, nullptr, nullptr,
                                            nullptr)) ||
        length == 0) {
      continue;
    }
    const std::u16string_view field(name, length - 1);
    if (field == u"_message") message_ = fields[i].ulOffset;
    if (field == u"_innerException") inner_ = fields[i].ulOffset;
    if (field == u"_stackTrace") stack_trace_ = fields[i].ulOffset;
  }
  return message_ != 0 && inner_ != 0 && stack_trace_ != 0 &&
         clr::Succeeded(info_->GetStringLayout2(&string_length_, &string_characters_));
}

std::span<const char16_t> ExceptionLayout::Message(clr::ObjectID exception) const {
  const uintptr_t string = LoadWord(exception + message_);
  if (string == 0) return {};
  return {reinterpret_cast<const char16_t*>(string + string_characters_),
          *reinterpret_cast<const uint32_t*>(string + string_length_)};
}

clr::ObjectID ExceptionLayout::InnerException(clr::ObjectID exception) const {
  return LoadWord(exception + inner_);
}

bool ExceptionLayout::HasStackTrace(clr::ObjectID exception) const {
  return LoadWord(exception + stack_trace_) != 0;
}

}  // namespace hindsight::recorder
