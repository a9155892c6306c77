#include "recorder/contract/catalogue.h"

namespace hindsight::contract {

// Samples of CPU time suspend threads, and have been tried under wine only: docs/windows.md.
bool SourceInfo::IsOnByDefault() const { return on_by_default && id != Source::kCpu; }

std::string SourceInfo::CostHere() const {
  switch (id) {
    case Source::kCpu:
      return "each sample suspends its thread while its registers and stack are copied; not "
             "measured on Windows";
    case Source::kHeap:
      return "a pause per snapshot that grows with the heap; not measured on Windows";
    default:
      return std::string(cost) + " (measured on Linux)";
  }
}

}  // namespace hindsight::contract
