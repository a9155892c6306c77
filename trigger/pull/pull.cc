#include "trigger/pull/pull.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>
#include <utility>

#include "proto/file_names.h"
#include "trigger/folder.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

constexpr size_t kMaxRecordings = 10'000;

// The recordings in an open folder, by name.
Expected<std::vector<std::string>> Recordings(int folder, const std::string& path) {
  std::vector<std::string> names;
  const bool is_listed = ForEachName(folder, [&names](std::string_view name) {
    // Only names that a recorder or a copy gives, and that SafeName leaves unchanged.
    if (name.ends_with(kFolderSuffix) && SafeName(std::string(name)) == name) {
      names.emplace_back(name);
    }
    return names.size() < kMaxRecordings;
  });
  if (!is_listed) {
    return SystemFailure("Cannot read the folder of recordings at", path, errno, "");
  }
  std::sort(names.begin(), names.end());
  return names;
}

Check CopyFile(const std::string& recording, const RecordingFile& source, uint64_t size,
               bool is_snapshot, PullTarget& target, PulledRecording& pulled) {
  if (target.BytesOf(recording, source.name) >= size && size != 0) return std::nullopt;
  if (Check wrong = target.Begin(recording, source.name, size, source.info.st_mtim.tv_sec)) {
    return wrong;
  }
  const WriteBytes write = [&](std::span<const std::byte> bytes) { return target.Write(bytes); };
  Check wrong =
      is_snapshot ? CopyBytes(source, 0, size, write) : CopySegments(source, size, {}, write);
  if (!wrong) wrong = target.End();
  if (wrong) return wrong;
  pulled.files += 1;
  pulled.bytes += size;
  return std::nullopt;
}

Check PullOne(int folder, const std::string& name, uid_t owner, PullTarget& target,
              std::vector<PulledRecording>& all) {
  const UniqueFd recording(
      openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!recording) {
    // A link, a file, or one that was deleted just now.
    if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR) return std::nullopt;
    return SystemFailure("Cannot read the recording", name, errno, "");
  }
  Expected<RecordingFiles> files = OpenRecordingFiles(recording.get(), name, owner);
  if (!files) return files.failure();
  PulledRecording pulled;
  pulled.name = name;
  for (const auto& [number, source] : files->files) {
    if (Check wrong = CopyFile(name, source, WholeBytes(source), false, target, pulled)) {
      return wrong;
    }
  }
  for (const auto& [number, source] : files->snapshots) {
    const auto size = static_cast<uint64_t>(source.info.st_size);
    if (Check wrong = CopyFile(name, source, size, true, target, pulled)) return wrong;
  }
  if (!files->empty()) all.push_back(std::move(pulled));
  return std::nullopt;
}

}  // namespace

Expected<Pulled> PullRecordings(const PullRequest& request, PullTarget& target) {
  Pulled all;
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& path : request.folders) {
    const Walk walk = WalkFrom(request.root, path);
    if (!walk.target) {
      if (walk.error == ENOENT || walk.error == ENOTDIR) continue;
      return SystemFailure("Cannot read the folder of recordings at", walk.failed_at, walk.error,
                           "");
    }
    const struct stat& info = walk.steps.back().info;
    if (!S_ISDIR(info.st_mode) || !seen.emplace(info.st_dev, info.st_ino).second) continue;
    const Expected<std::vector<std::string>> names = Recordings(walk.target.get(), path);
    if (!names) return names.failure();
    for (const std::string& name : *names) {
      if (!request.application.empty() && !PidInFolderName(name, request.application)) {
        all.others += 1;
        continue;
      }
      if (Check wrong = PullOne(walk.target.get(), name, request.owner, target, all.recordings)) {
        return *wrong;
      }
    }
  }
  if (all.recordings.empty()) return all;
  if (Check wrong = target.EndAll()) return *wrong;
  return all;
}

}  // namespace hindsight::trigger
