// Files that a command makes. What they say was read from a process's memory: they are the user's
// alone, whatever the umask or the folder gives to others.
#pragma once

#include <cstdio>
#include <string>

namespace hindsight::analyzer {

// What writing to a name comes to.
enum class OutputPlace {
  kReplaced,  // nothing is there, or a regular file: a new file takes its place
  // Anything else is left where it is, and written to: a device, a pipe, and a symbolic link, which
  // may lead to one (/dev/stdout). What a link leads to keeps its mode.
  kWrittenThrough,
  kFolder,  // cannot be written
};
OutputPlace PlaceOf(const std::string& name);

// A new, empty, regular file, open for writing; never what a link leads to. A file of this name
// that an earlier run left is removed. Null: see errno.
std::FILE* CreatePrivateFile(const std::string& name);
// What is there already, open for writing; emptied if it is a regular file. Null: see errno.
std::FILE* OpenToWriteThrough(const std::string& name);
// Under a new name that begins with `name`, which it is changed to. Null: see errno.
std::FILE* CreatePrivateFileLike(std::string& name);
// Likewise a folder. False: see errno.
bool CreatePrivateFolderLike(std::string& name);
// False: see errno.
bool MakeFolderPrivate(const std::string& name);

}  // namespace hindsight::analyzer
