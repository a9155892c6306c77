// One counted reference to a COM object of the runtime.
#pragma once

#include <utility>

#include "recorder/clr/types.h"

namespace hindsight::recorder {

template <typename Interface>
class ComRef {
 public:
  ComRef() = default;
  ComRef(ComRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ComRef& operator=(ComRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ComRef() {
    if (object_ != nullptr) object_->Release();
  }

  // The interface of `unknown`, or none.
  static ComRef From(clr::IUnknown* unknown) {
    ComRef ref;
    void* object = nullptr;
    if (unknown != nullptr && clr::Succeeded(unknown->QueryInterface(Interface::kIid, &object))) {
      ref.object_ = static_cast<Interface*>(object);
    }
    return ref;
  }

  // For a function that returns an interface, with its reference counted, through an out parameter.
  Interface** Receive() { return &object_; }

  Interface* get() const { return object_; }
  Interface* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  Interface* object_ = nullptr;
};

}  // namespace hindsight::recorder
