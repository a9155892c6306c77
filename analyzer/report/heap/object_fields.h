// What the JSON of reports on single objects has.
#pragma once

#include "analyzer/report/heap/heap_fields.h"

namespace hindsight::analyzer {

// Address and type.
Object<ObjectId, HeapContext> ObjectIdFields();
Object<ObjectId, HeapContext> ObjectSizeFields();
Object<ObjectId, HeapContext> ObjectGenerationFields();
// Of a context with dominators.
Object<ObjectId, HeapContext> ObjectRetainedFields();
// Address, type and retained size: of what is named beside the object that a report is about.
Object<ObjectId, HeapContext> HeldObjectFields();

}  // namespace hindsight::analyzer
