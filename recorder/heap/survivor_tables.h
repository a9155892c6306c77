// Writes which followed allocations are alive in a snapshot: proto HeapAllocations. The snapshot's
// thread.
#pragma once

#include "recorder/encode/dictionary_writer.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/heap/thread_tables.h"
#include "recorder/sources/allocations/survivor_tracker.h"

namespace hindsight::recorder {

// Sorts `image`. Writes nothing if its content is unknown. Threads must have been written before.
void WriteSurvivors(SurvivorsImage& image, DictionaryWriter& dictionaries, PacketWriter& packets,
                    ThreadTables& threads);

}  // namespace hindsight::recorder
