// terminate PID FILE: ends the process as TerminateProcess does, once FILE exists. It runs before
// it is needed, because starting a program takes long under wine.
#include <windows.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  if (count != 3) return 64;
  const HANDLE process =
      OpenProcess(PROCESS_TERMINATE | SYNCHRONIZE, FALSE, std::strtoul(words[1], nullptr, 10));
  if (process == nullptr) return 1;
  std::puts("waiting");
  std::fflush(stdout);
  while (GetFileAttributesA(words[2]) == INVALID_FILE_ATTRIBUTES) {
    // The process may end by itself.
    if (WaitForSingleObject(process, 1) != WAIT_TIMEOUT) return 2;
  }
  if (!TerminateProcess(process, 1)) return 3;
  return WaitForSingleObject(process, INFINITE) == WAIT_OBJECT_0 ? 0 : 4;
}
