// Expected texts in files.
#pragma once

#include <filesystem>
#include <string>

namespace hindsight::testing {

// Fails unless `file` contains `actual`. With HINDSIGHT_REGENERATE in the environment it is
// rewritten instead, and the test fails so that nobody mistakes it for a pass.
void ExpectFile(const std::filesystem::path& file, const std::string& actual);

// `text` with `name` for every `folder`, which differs from run to run, and with / in the paths
// that begin there, as Linux writes them.
std::string WithoutFolder(std::string text, const std::filesystem::path& folder,
                          const std::string& name);

}  // namespace hindsight::testing
