// The calling thread's track.
#pragma once

#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

// Null: none yet, or the thread is ending.
ThreadTrack* OwnTrack();
// Once per thread. When the thread ends, ThreadTracks::End is called, if OpenOwnTracks was true.
void SetOwnTrack(ThreadTrack* track);
// False: the process has no thread-specific key left through which the end of threads is reported.
bool OpenOwnTracks();

}  // namespace hindsight::recorder
