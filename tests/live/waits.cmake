# Waits of real processes: what hangs, and what only looks like it.
hindsight_live_test(live_waits_truth_test SIDE_BY_SIDE waits_truth_test.cc)
hindsight_live_test(live_thread_snapshots_test thread_snapshots_test.cc)
hindsight_live_test(live_waits_test WAITING "*WhatHangs*:*APool*:*ThreadsThatMayNever*" waits_test.cc)
hindsight_live_test(live_dynamic_methods_test SIDE_BY_SIDE dynamic_methods_test.cc)
hindsight_live_test(live_waits_reliability_test SIDE_BY_SIDE waits_reliability_test.cc)
