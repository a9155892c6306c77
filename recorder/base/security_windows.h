// Who may use what the recorder makes. On Windows only.
#pragma once

namespace hindsight::recorder {

// What 0600 is on Linux: the process's user, and those who may read everything anyway (SYSTEM,
// administrators). Nothing is inherited, and what is made inside inherits this.
class OnlyOwner {
 public:
  OnlyOwner();
  ~OnlyOwner();
  OnlyOwner(const OnlyOwner&) = delete;
  OnlyOwner& operator=(const OnlyOwner&) = delete;

  // A security descriptor; null: the user could not be determined, and nothing should be made.
  void* descriptor() const { return descriptor_; }

 private:
  void* descriptor_ = nullptr;
};

// Whether an open file or folder belongs to the process's user, to SYSTEM or to administrators.
bool BelongsToUs(int file);

}  // namespace hindsight::recorder
