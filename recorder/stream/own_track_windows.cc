#include <windows.h>

#include "recorder/stream/own_track.h"

namespace hindsight::recorder {
namespace {

// A slot of the system's, which reports the end of threads. Thread-local variables of the compiler
// would allocate on the first access.
DWORD ThePlace() {
  static const DWORD place = FlsAlloc([](void* track) {
    if (track != nullptr) ThreadTracks::Instance().End(*static_cast<ThreadTrack*>(track));
  });
  return place;
}

}  // namespace

// Preserves the application's last error.
ThreadTrack* OwnTrack() {
  const DWORD error = GetLastError();
  auto* const track = static_cast<ThreadTrack*>(FlsGetValue(ThePlace()));
  SetLastError(error);
  return track;
}

void SetOwnTrack(ThreadTrack* track) { FlsSetValue(ThePlace(), track); }

bool OpenOwnTracks() { return ThePlace() != FLS_OUT_OF_INDEXES; }

}  // namespace hindsight::recorder
