#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>

#include "trigger/attachment.h"
#include "trigger/preflight/preflight.h"
#include "trigger/target/diagnostic_socket.h"
#include "trigger/target/mapped_library.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

// /proc/PID/maps shows paths as we see them, including the root folder of a chroot or container.
std::string AsItSees(const Process& process, const std::string& path) {
  char text[PATH_MAX];
  const std::string link = "/proc/" + std::to_string(process.pid) + "/root";
  const ssize_t size = readlink(link.c_str(), text, sizeof text);
  const std::string_view root(text, size > 0 ? static_cast<size_t>(size) : 0);
  const bool inside = root.size() > 1 && path.starts_with(root) && path[root.size()] == '/';
  return inside ? path.substr(root.size()) : path;
}

// A library copied in by an earlier attach is still mapped, and is reused: each new copy would also
// stay mapped. Empty: there is none, or it is a different build.
std::optional<ChosenLibrary> FindBrought(const Process& process, const std::string& own) {
  const UniqueFd file(open(own.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd memory(
      open(("/proc/" + std::to_string(process.pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || !memory) return std::nullopt;
  const std::string name = own.substr(own.rfind('/') + 1);
  for (const MappedLibrary& mapped : FindMapped(process, name)) {
    // The headers and the build id are in the first page.
    std::array<char, 4096> theirs{};
    std::array<char, 4096> ours{};
    const auto begin = static_cast<off_t>(mapped.parts.front().begin);
    const size_t folder = mapped.path.rfind(std::string("/") + kBroughtPrefix);
    if (folder == std::string::npos || !DamageOf(process, mapped, true).empty() ||
        pread(memory.get(), theirs.data(), theirs.size(), begin) != ssize_t{theirs.size()} ||
        pread(file.get(), ours.data(), ours.size(), 0) != ssize_t{ours.size()} || theirs != ours) {
      continue;
    }
    return ChosenLibrary{AsItSees(process, mapped.path), nullptr, true};
  }
  return std::nullopt;
}

}  // namespace

Expected<ChosenLibrary> ChooseLibrary(const Process& process, const std::string& given) {
  if (!given.empty()) return ChosenLibrary{given, nullptr, false};
  Expected<std::string> own = FindLibrary();
  if (!own) return own.failure();
  if (!process.other_mounts || WalkFrom(process.root.get(), *own).target) {
    return ChosenLibrary{*own, nullptr, false};
  }
  if (std::optional<ChosenLibrary> brought = FindBrought(process, *own)) return *std::move(brought);
  // Nothing is copied into a process that cannot be attached to.
  if (const Expected<DiagnosticSocket> socket = FindDiagnosticSocket(process); !socket) {
    return socket.failure();
  }
  Expected<std::shared_ptr<BroughtLibrary>> brought = BroughtLibrary::Bring(process, *own);
  if (!brought) return brought.failure();
  return ChosenLibrary{(*brought)->path(), *brought, false};
}

}  // namespace hindsight::trigger
