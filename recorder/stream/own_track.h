// Which track the calling thread has.
#pragma once

#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

// Null: none yet, or its thread is ending.
ThreadTrack* OwnTrack();
// Once for a thread. When that ends, the track has `exited`, if OpenOwnTracks was true.
void SetOwnTrack(ThreadTrack* track);
// False: the process has no place left by which the end of threads is reported.
bool OpenOwnTracks();

}  // namespace hindsight::recorder
