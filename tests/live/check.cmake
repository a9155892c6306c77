# Budgets on real recordings.
hindsight_live_test(live_check_test check_test.cc)
