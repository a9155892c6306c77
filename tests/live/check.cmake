# Budgets on real recordings.
hindsight_live_test(live_check_test SIDE_BY_SIDE check_test.cc)
