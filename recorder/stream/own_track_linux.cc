#include "recorder/stream/own_track.h"

#include <pthread.h>

#include "recorder/base/thread_local.h"

namespace hindsight::recorder {
namespace {

HINDSIGHT_READS_THREAD_LOCAL ThreadTrack*& Own() {
  static thread_local ThreadTrack* track = nullptr;
  return track;
}

// Reports the end of threads; not available if the process has used up its keys.
struct ExitKey {
  pthread_key_t key = 0;
  bool is_made = false;
};

const ExitKey& TheExitKey() {
  static const ExitKey made = [] {
    ExitKey exit;
    exit.is_made = pthread_key_create(&exit.key, [](void* track) {
                     Own() = nullptr;
                     ThreadTracks::Instance().End(*static_cast<ThreadTrack*>(track));
                   }) == 0;
    return exit;
  }();
  return made;
}

}  // namespace

ThreadTrack* OwnTrack() { return Own(); }

void SetOwnTrack(ThreadTrack* track) {
  // If this fails, the track is not reused. libc needs no memory for the first 32 keys.
  if (const ExitKey& exit = TheExitKey(); exit.is_made) pthread_setspecific(exit.key, track);
  Own() = track;
}

bool OpenOwnTracks() { return TheExitKey().is_made; }

}  // namespace hindsight::recorder
