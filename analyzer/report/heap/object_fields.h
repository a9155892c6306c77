// What the JSON of reports on individual objects contains.
#pragma once

#include "analyzer/report/heap/heap_fields.h"

namespace hindsight::analyzer {

// Address and type.
Object<ObjectId, HeapContext> ObjectIdFields();
Object<ObjectId, HeapContext> ObjectSizeFields();
Object<ObjectId, HeapContext> ObjectGenerationFields();
// For a context with dominators.
Object<ObjectId, HeapContext> ObjectRetainedFields();
// Address, type and retained size: for objects mentioned in addition to the one that a report is
// about.
Object<ObjectId, HeapContext> HeldObjectFields();

}  // namespace hindsight::analyzer
