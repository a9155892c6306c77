// Access rights for what the recorder creates. Windows only.
#pragma once

namespace hindsight::recorder {

// The equivalent of 0600 on Linux: access for the process's user, and for those who can read
// everything anyway (SYSTEM, administrators). Nothing is inherited from the parent, and anything
// created inside inherits this.
class OnlyOwner {
 public:
  OnlyOwner();
  ~OnlyOwner();
  OnlyOwner(const OnlyOwner&) = delete;
  OnlyOwner& operator=(const OnlyOwner&) = delete;

  // A security descriptor; null: the user could not be determined, and nothing should be created.
  void* descriptor() const { return descriptor_; }

 private:
  void* descriptor_ = nullptr;
};

// Whether an open file or folder belongs to the process's user, to SYSTEM or to administrators.
bool BelongsToUs(int file);

}  // namespace hindsight::recorder
