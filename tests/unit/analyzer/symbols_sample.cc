// A library whose functions are looked up after it has been stripped.
namespace {

__attribute__((noinline)) long HiddenWork(long rounds) {
  volatile long sum = 0;
  for (long i = 0; i < rounds; ++i) sum = sum + i * i;
  return sum;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) long ExportedWork(long rounds) {
  return HiddenWork(rounds) + 1;
}
