// Expected texts in files.
#pragma once

#include <filesystem>
#include <string>

namespace hindsight::testing {

// Fails unless `file` holds `actual`. With HINDSIGHT_REGENERATE in the environment it is written
// anew instead, and the test fails so that nobody mistakes it for a pass.
void ExpectFile(const std::filesystem::path& file, const std::string& actual);

// `text` with `to` for every `from`, which is not in `to`: a folder that differs from run to run.
std::string Replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace hindsight::testing
