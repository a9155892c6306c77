// The rows of `hindsight locks` that both its JSON and the tables of its text show.
#pragma once

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/fields/fields.h"

namespace hindsight::analyzer {

Object<WaitPlace, LockReport> WaitPlaceFields();
Object<HotLock, LockReport> HotLockFields();
Object<LockHolder, LockReport> LockHolderFields();

}  // namespace hindsight::analyzer
