// The folder of one recording: `<output>/<app>-<pid>-<YYYYMMDDTHHMMSSZ>.hindsight/`.
//
// It is created exclusively (mkdir 0700; a name that exists gets -2, -3, ...), so that no process,
// even after a restart or with a reused pid, writes into another one's recording. Everything below
// `/` is reached through directory descriptors that were checked after they were opened, so that no
// folder can be replaced in between. The process's umask does not affect the permissions. One
// thread at a time; allocates; a handful of system calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

struct FolderRequest {
  std::string output;  // absolute path of the folder that receives the recording's folder
  // `output` is contract::DefaultOutput, in a folder that everybody may write to: its last two
  // levels are created if missing and must belong to the user alone. The levels above must exist.
  // Otherwise every missing level is created (0700), and the last one must belong to the process's
  // user or root and must not be writable by everybody, unless it has the sticky bit.
  bool is_default = false;
  std::string application;  // any bytes; becomes at most 64 of [A-Za-z0-9._-]
  uint32_t pid = 0;
  uint64_t started_unix_ns = 0;
};

// A separate descriptor for a folder, and the path where the folder was created.
struct OpenedFolder {
  Descriptor folder;  // none: it is closed, or there is no descriptor left
  std::string path;
};

class RecordingFolder {
 public:
  // False: `why` is one sentence without a newline (what, where, what to do), and a folder
  // that was open before stays open.
  bool Create(const FolderRequest& request, std::string* why);
  // path() stays valid.
  void Close() { folder_.Close(); }

  int fd() const { return folder_.get(); }
  const std::string& path() const { return path_; }
  OpenedFolder Open() const;

 private:
  Descriptor folder_;
  std::string path_;
};

// `<app>-<pid>-<YYYYMMDDTHHMMSSZ>`, without suffix.
std::string RecordingName(const FolderRequest& request);

// The names that a recording may get, in order, and messages for when it gets none of them.
class FolderNames {
 public:
  explicit FolderNames(const FolderRequest& request)
      : request_(request), base_(RecordingName(request)) {}

  const std::string& base() const { return base_; }
  // `<base>.hindsight`, `<base>-2.hindsight`, ...; empty: there are no more.
  std::string Next();
  std::string WhyNot(const std::string& name, const std::string& what) const;
  std::string WhyAllAreTaken() const;

 private:
  const FolderRequest& request_;
  const std::string base_;
  int tried_ = 0;
};

}  // namespace hindsight::recorder
