# Waits in samples where every wait is known.
foreach(version 8 9 10)
  hindsight_publish(lock-waits-${version} PROJECT LockWaits FRAMEWORK net${version}.0
                    OUTPUT lock_waits_${version})
endforeach()
hindsight_live_test(live_locks_test locks_test.cc)
list(GET lock_waits_10 1 lock_waits_10_dll)
target_compile_definitions(live_locks_test PRIVATE
  HINDSIGHT_LOCK_WAITS_8="${lock_waits_8}"
  HINDSIGHT_LOCK_WAITS_9="${lock_waits_9}"
  HINDSIGHT_LOCK_WAITS_10="${lock_waits_10_dll}")
add_dependencies(live_locks_test lock-waits-8 lock-waits-9 lock-waits-10)
