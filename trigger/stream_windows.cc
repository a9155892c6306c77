#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>

#include "analyzer/cli/wide_text_windows.h"
#include "trigger/stream.h"
#include "trigger/target/handle_windows.h"

namespace hindsight::trigger {
namespace {

HANDLE PipeOf(const UniqueFd& fd) { return reinterpret_cast<HANDLE>(_get_osfhandle(fd.get())); }

DWORD MillisecondsUntil(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<DWORD>(std::clamp<int64_t>(left + 1, 0, 60'000));
}

// Waits for what ReadFile or WriteFile began: 0 and the bytes, or a Windows error.
DWORD Finish(HANDLE pipe, OVERLAPPED& operation, Clock::time_point deadline, DWORD& bytes) {
  while (true) {
    const DWORD left = Clock::now() >= deadline ? 0 : MillisecondsUntil(deadline);
    if (WaitForSingleObject(operation.hEvent, left) == WAIT_OBJECT_0) {
      return GetOverlappedResult(pipe, &operation, &bytes, FALSE) ? 0 : GetLastError();
    }
    if (left != 0) continue;
    CancelIoEx(pipe, &operation);
    // The buffer is in use until the operation ends, which may have succeeded nevertheless.
    return GetOverlappedResult(pipe, &operation, &bytes, TRUE) ? 0 : DWORD{ERROR_SEM_TIMEOUT};
  }
}

}  // namespace

Expected<Stream> Stream::Connect(int, const std::string& name, Clock::time_point deadline,
                                 std::string who) {
  Stream stream;
  stream.deadline_ = deadline;
  stream.who_ = std::move(who);
  const std::wstring pipe = cli::Utf16(name);
  while (true) {
    // The server of the pipe can identify us, but not impersonate us.
    const HANDLE handle = CreateFileW(
        pipe.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
        FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, nullptr);
    if (handle != INVALID_HANDLE_VALUE) {
      stream.fd_.reset(_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY));
      return stream;
    }
    const DWORD error = GetLastError();
    if (error != ERROR_PIPE_BUSY) return stream.Broken(static_cast<int>(error));
    if (Clock::now() >= deadline) return stream.Broken(ERROR_SEM_TIMEOUT);
    WaitNamedPipeW(pipe.c_str(), MillisecondsUntil(deadline));
  }
}

Expected<Stream::Peer> Stream::GetPeer() const {
  ULONG pid = 0;
  if (!GetNamedPipeServerProcessId(PipeOf(fd_), &pid)) {
    return Broken(static_cast<int>(GetLastError()));
  }
  return Peer{static_cast<int>(pid), 0};
}

Check Stream::Send(std::span<const uint8_t> bytes) {
  const UniqueHandle done(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  while (!bytes.empty()) {
    OVERLAPPED operation{};
    operation.hEvent = done.get();
    DWORD sent = 0;
    DWORD error = 0;
    if (!WriteFile(PipeOf(fd_), bytes.data(), static_cast<DWORD>(bytes.size()), nullptr,
                   &operation)) {
      error = GetLastError();
    }
    if (error == 0 || error == ERROR_IO_PENDING) {
      error = Finish(PipeOf(fd_), operation, deadline_, sent);
    }
    if (error != 0) return Broken(static_cast<int>(error));
    bytes = bytes.subspan(sent);
  }
  return std::nullopt;
}

Expected<size_t> Stream::Receive(std::span<uint8_t> bytes) {
  const UniqueHandle done(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  OVERLAPPED operation{};
  operation.hEvent = done.get();
  DWORD received = 0;
  DWORD error = 0;
  if (!ReadFile(PipeOf(fd_), bytes.data(), static_cast<DWORD>(bytes.size()), nullptr, &operation)) {
    error = GetLastError();
  }
  if (error == 0 || error == ERROR_IO_PENDING) {
    error = Finish(PipeOf(fd_), operation, deadline_, received);
  }
  // The other side has closed it.
  if (error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF ||
      error == ERROR_PIPE_NOT_CONNECTED) {
    return size_t{0};
  }
  if (error != 0 && error != ERROR_MORE_DATA) return Broken(static_cast<int>(error));
  return size_t{received};
}

Failure Stream::Broken(int error) const {
  switch (error) {
    case ERROR_SEM_TIMEOUT:
      return {TriggerExit::kSendTimeout, "Timed out before " + who_ + " answered.",
              "It may be busy, stopped by a debugger, or short of CPU time; try again with a "
              "longer --send-timeout."};
    case ERROR_ACCESS_DENIED:
      return {TriggerExit::kOtherUser, "The pipe of " + who_ + " denied access.",
              "Run the trigger as the process's user or as administrator."};
    default:
      return {
          TriggerExit::kConnectionFailed,
          "The connection to " + who_ + " failed: " + ErrorText(static_cast<DWORD>(error)) + '.',
          "Check that the process is still running: hindsight-trigger list."};
  }
}

}  // namespace hindsight::trigger
