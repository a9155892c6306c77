#include "analyzer/symbols/native_symbols.h"

#include <utility>

#include "analyzer/base/file_name.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kSystemFolder = "/usr/lib/debug";

}  // namespace

NativeSymbols::NativeSymbols(std::vector<std::string> folders) : folders_(std::move(folders)) {}

// Files that may contain the names, most likely first.
std::vector<std::string> NativeSymbols::PlacesOf(std::string_view path, std::string_view build_id) {
  const std::string name(FileName(path));
  const std::string id = FormatHex(build_id);
  std::vector<std::string> folders = folders_.folders();
  folders.emplace_back(kSystemFolder);
  std::vector<std::string> places;
  for (const std::string& folder : folders) {
    places.push_back(folder + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
    // Keys used by symbol servers.
    for (const std::string& file : {name + ".dbg", std::string("_.debug")}) {
      places.push_back(folder + "/" + file + "/elf-buildid-sym-" + id + "/" + file);
    }
  }
  std::vector<std::string> names = {name + ".dbg", name + ".debug", name};
  if (path.starts_with('/')) {
    const std::string own(path);
    const std::string folder = own.substr(0, own.size() - name.size());
    const auto file = symbols::ElfSymbols::Open(own);
    if (file && file->build_id() == build_id && !file->debug_link().empty()) {
      const std::string& link = file->debug_link();
      places.push_back(folder + link);
      places.push_back(folder + ".debug/" + link);
      places.push_back(std::string(kSystemFolder) + folder + link);
      names.push_back(link);
    }
    places.push_back(own + ".dbg");
    places.push_back(own + ".debug");
  }
  for (const std::string& file : names) {
    const auto& named = folders_.Named(file);
    places.insert(places.end(), named.begin(), named.end());
  }
  if (path.starts_with('/')) places.emplace_back(path);
  return places;
}

std::optional<symbols::ElfSymbols> NativeSymbols::Find(std::string_view path,
                                                       std::string_view build_id) {
  for (const std::string& place : PlacesOf(path, build_id)) {
    auto file = symbols::ElfSymbols::Open(place);
    if (file && file->build_id() == build_id && file->ReadFunctions()) return file;
  }
  return std::nullopt;
}

std::string_view NativeSymbols::NameOf(std::string_view path, std::string_view build_id,
                                       uint64_t rva) {
  if (build_id.size() < 2) return {};
  auto found = libraries_.find(build_id);
  if (found == libraries_.end()) {
    found = libraries_.emplace(std::string(build_id), Find(path, build_id)).first;
  }
  return found->second ? found->second->NameAt(rva) : std::string_view();
}

}  // namespace hindsight::analyzer
