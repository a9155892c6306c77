// What is alive in a snapshot of the allocations that were followed, as packets: proto
// HeapAllocations. The snapshot's thread.
#pragma once

#include "recorder/encode/dictionaries.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/heap/thread_tables.h"
#include "recorder/sources/survivors.h"

namespace hindsight::recorder {

// Sorts `image`. Nothing is written of one that is unknown. Threads have been written before.
void WriteSurvivors(SurvivorsImage& image, Dictionaries& dictionaries, PacketWriter& packets,
                    ThreadTables& threads);

}  // namespace hindsight::recorder
