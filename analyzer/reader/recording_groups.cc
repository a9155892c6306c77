#include "analyzer/reader/recording_groups.h"

#include <map>
#include <optional>

#include "analyzer/reader/files.h"

namespace hindsight::analyzer {
namespace {

std::optional<uint64_t> IdOf(const std::vector<InputFile>& files) {
  for (const InputFile& file : files) {
    const Result<FileReader> reader = FileReader::Open(file.path);
    if (!reader) continue;
    SegmentHeader header;
    if (reader->ReadHeader(header) == HeaderError::kNone) return header.recording_id;
  }
  return {};
}

}  // namespace

Result<std::vector<std::vector<std::string>>> GroupByRecording(std::span<const std::string> paths) {
  std::vector<std::vector<std::string>> groups;
  std::map<uint64_t, size_t> group_of;
  for (const std::string& path : paths) {
    const Result<std::vector<InputFile>> files = FindFiles(std::span(&path, 1));
    if (!files) return files.error();
    const std::optional<uint64_t> id = IdOf(*files);
    if (!id) {
      groups.push_back({path});
      continue;
    }
    const auto [place, is_new] = group_of.try_emplace(*id, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(path);
  }
  return groups;
}

}  // namespace hindsight::analyzer
