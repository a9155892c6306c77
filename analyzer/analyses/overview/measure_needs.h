// What has to be recorded for each measure.
#pragma once

#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer::needs {

extern const MeasureNeeds kAnything;
extern const MeasureNeeds kEvents;
extern const MeasureNeeds kRecorderCost;
extern const MeasureNeeds kBaseline;  // never met by a recording alone

extern const MeasureNeeds kWaitGraph;
extern const MeasureNeeds kThreads;
extern const MeasureNeeds kThreadSnapshot;
extern const MeasureNeeds kPool;
extern const MeasureNeeds kPoolWorkers;
extern const MeasureNeeds kExceptions;
extern const MeasureNeeds kPauses;
extern const MeasureNeeds kCollectionSizes;
extern const MeasureNeeds kCompiler;
extern const MeasureNeeds kCpu;
extern const MeasureNeeds kAllocations;
extern const MeasureNeeds kLocks;
extern const MeasureNeeds kRequests;
extern const MeasureNeeds kRoutes;
extern const MeasureNeeds kSingleRequests;
extern const MeasureNeeds kHeap;
extern const MeasureNeeds kTaskStates;
extern const MeasureNeeds kTwoHeaps;
extern const MeasureNeeds kStringContents;

}  // namespace hindsight::analyzer::needs
