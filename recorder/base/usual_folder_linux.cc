#include "recorder/base/usual_folder.h"

#include <cstdlib>

#include "recorder/base/process_facts.h"
#include "recorder/contract/control.h"

namespace hindsight::recorder {

std::string TemporaryFolder() {
  const char* tmp = getenv("TMPDIR");
  return contract::TemporaryFolder(tmp != nullptr ? std::string("TMPDIR=") + tmp : std::string());
}

std::string UsualOutput(std::string_view tmp) {
  return contract::DefaultOutput(tmp, EffectiveUser());
}

bool ReadVariable(const char* name, std::string& value) {
  const char* const text = getenv(name);
  if (text != nullptr) value = text;
  return text != nullptr;
}

}  // namespace hindsight::recorder
