// Files that a command creates. Their contents were read from a process's memory, so they are
// private to the user, whatever the umask or the folder's permissions.
#pragma once

#include <cstdio>
#include <string>

namespace hindsight::analyzer {

// What happens when a name is written to.
enum class OutputPlace {
  kReplaced,  // nothing is there, or a regular file: a new file replaces it
  // Anything else stays where it is and is written to: a device, a pipe, and a symbolic link, which
  // may lead to one (/dev/stdout). A link's target keeps its mode.
  kWrittenThrough,
  kFolder,  // cannot be written
};
OutputPlace PlaceOf(const std::string& name);

// A new, empty, regular file, open for writing; never the target of a link. Replaces a file of this
// name that an earlier run left. Null: see errno.
std::FILE* CreatePrivateFile(const std::string& name);
// What already exists, open for writing; truncated if it is a regular file. Null: see errno.
std::FILE* OpenToWriteThrough(const std::string& name);
// A file with a new name that begins with `name`, which is set to it. Null: see errno.
std::FILE* CreatePrivateFileLike(std::string& name);
// Likewise a folder. False: see errno.
bool CreatePrivateFolderLike(std::string& name);
// False: see errno.
bool MakeFolderPrivate(const std::string& name);

}  // namespace hindsight::analyzer
