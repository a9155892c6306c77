// How a trigger communicates with a running recorder: folders, and messages on its Unix socket.
//
// Folders. Everything of one user is under `<tmp>/hindsight-<uid>/` (0700, owned by that user, not
// a symbolic link), where <tmp> is the *target's* TMPDIR or /tmp:
//     control/<pid>.sock       the control socket (0600) of the recorder in process <pid>, as
//                              numbered in the process's own pid namespace
//     control/<pid>.last       after a detach, a symbolic link, never followed: its text is the
//                              path of the recording, if that was made elsewhere than in:
//     recordings/              the default output folder
//
// The spare folder. Anyone can write to /tmp, so another user may create `hindsight-<uid>`, or a
// link of that name, first, and the user's own recorders cannot use it. The socket is then
// `<tmp>/hindsight-<uid>-<16 random hex digits>/<pid>.sock`. Nobody can create a name beforehand
// that they cannot guess. A trigger looks at all names with this prefix, and trusts only folders
// that belong to the process's user and that nobody else can write (0700). The alternatives are
// worse: XDG_RUNTIME_DIR is often missing, a recording may be on a file system without sockets, and
// an abstract socket is visible only in its own network namespace. The recorder removes the folder;
// if the process is killed, it stays.
//
// On Windows the socket is the named pipe `\\.\pipe\hindsight-control-<pid>`, which needs no
// folder: no other process can serve it unnoticed, because the trigger checks the server's pid.
//
// Messages. A client connects, sends one line `VERB [ARGUMENT]\n` of at most kMaxRequestBytes, and
// reads to the end of the stream, at most kMaxReplyBytes: a first line `ok` or `error SENTENCE`,
// then lines `key value`, then an empty line, so that a truncated reply is noticed. Values have no
// control characters. Peers must have the process's uid or be root (SO_PEERCRED); others are
// disconnected without a reply.
//   status     -> state (arming|recording|draining|detaching|closed), mode (startup|attach),
//                 output, options, elapsed_ns, remaining_ns (with a duration), events, lost,
//                 written_bytes, memory_bytes, callback_ns, application_cpu_ns (the recorder's part
//                 of the CPU time of the application's threads), thread_cpu_ns (of its own
//                 threads), waited_ns (that the application waited for it), cpu_samples,
//                 survivor_handles and survivors_missed (with allocations.survivors), last_error
//                 (when there is one), version
//   stop       -> flushes, closes the recording, then detaches; the reply comes when the files are
//                 closed: output, events, lost, written_bytes. The socket disappears when the
//                 detach is complete.
//   snapshot   -> starts a heap snapshot, whatever the recording's sources: snapshot (its number)
//   snapshot_status -> about the last one started: snapshot, state (running|complete|incomplete),
//                 phase, path, reason, method, objects, object_bytes, pause_ns, pauses,
//                 all_pauses_ns, wall_ns, file_bytes
//   snapshot_threads -> takes a thread snapshot; the reply comes when it is taken, and it is on
//                 disk a second later: snapshot (its number), threads, stopping_ns, pause_ns,
//                 output
//
// Pure functions: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hindsight::contract {

inline constexpr size_t kMaxRequestBytes = 4096;
inline constexpr size_t kMaxReplyBytes = 64u << 10;

// Profiler class id, and the version that status, recordings and `--version` show.
inline constexpr char kProfilerGuid[] = "{4D9B1F5C-6E2A-4C0E-9B7A-8F6D1E0C5A21}";
inline constexpr char kVersion[] = HINDSIGHT_VERSION;

std::string UserFolder(std::string_view tmp, uint32_t uid);
std::string ControlFolder(std::string_view tmp, uint32_t uid);
std::string ControlSocket(std::string_view tmp, uint32_t uid, uint32_t pid);
std::string DefaultOutput(std::string_view tmp, uint32_t uid);
// The control socket on Windows.
std::string ControlPipe(uint32_t pid);
// What names of spare folders in <tmp> begin with.
std::string SpareFolderPrefix(uint32_t uid);
// The name of the socket in its folder, usual or spare.
std::string SocketName(uint32_t pid);
// The name of the link to the last recording.
std::string LastRecordingName(uint32_t pid);

// TMPDIR of a NUL-separated environment block (as in /proc/PID/environ), without a trailing slash;
// "/tmp" when it is missing, empty or not absolute.
std::string TemporaryFolder(std::string_view environment_block);

struct Request {
  std::string verb;      // lower-case letters, '-' and '_'
  std::string argument;  // empty: none
};

// A whole line, including its newline.
std::string FormatRequest(const Request& request);
// False: not a request (no newline at the end, too long, malformed).
bool ParseRequest(std::string_view line, Request& out);

struct Reply {
  bool ok = true;
  std::string error;                                        // a sentence when !ok
  std::vector<std::pair<std::string, std::string>> fields;  // in order

  void Add(std::string_view key, std::string_view value);
  void Add(std::string_view key, uint64_t value);
  std::string_view Find(std::string_view key) const;  // empty when absent
};

// What does not fit into kMaxReplyBytes is left out, whole lines from the end.
std::string FormatReply(const Reply& reply);
// False: not a reply (truncated, too long, malformed).
bool ParseReply(std::string_view text, Reply& out);

}  // namespace hindsight::contract
