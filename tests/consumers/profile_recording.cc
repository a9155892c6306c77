#include "tests/consumers/profile_recording.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace hindsight::testing {
namespace {

constexpr uint64_t kStartNs = 1'000'000'000'000;
constexpr uint64_t kStartUnixNs = 1'790'000'000'000'000'000;
constexpr uint64_t kPeriodNs = 10'000'000;

class Maker {
 public:
  Maker(const ProfileSettings& settings, ProfileTruth& truth)
      : settings_(settings), truth_(truth), builder_(settings.recording_id) {}

  RecordingBuilder Make() {
    BeginSegment(kStartNs);
    Process& process = *body_.add_packet()->mutable_process();
    process.set_pid(4242);
    process.set_application("Shop");
    process.set_host(settings_.host);
    process.set_runtime_version("10.0.1");
    process.set_recording_started_unix_ns(kStartUnixNs);
    process.set_recording_started_monotonic_ns(kStartNs);
    for (const char* source : {"exceptions", "threads", "locks", "cpu", "allocations", "gc"}) {
      process.add_source(source);
    }
    if (settings_.busy) {
      process.add_source("waits");
      process.add_source("requests");
    }
    for (uint32_t i = 1; i <= settings_.threads; ++i) {
      const uint32_t name = String(i == 1 ? "Main" : "worker " + std::to_string(i));
      Thread& thread = *body_.add_packet()->mutable_thread();
      thread.set_id(i);
      thread.set_os_id(4241 + i);
      thread.set_name(name);
    }
    MakePaths();
    for (uint32_t second = 0; second < settings_.seconds; ++second) {
      if (second > 0) BeginSegment(kStartNs + second * 1'000'000'000ull);
      if (settings_.busy) {
        BusySecond(second);
      } else {
        Second(second);
      }
      builder_.AddSegment(body_);
    }
    return std::move(builder_);
  }

 private:
  void BeginSegment(uint64_t monotonic_ns) {
    body_.Clear();
    now_ns_ = monotonic_ns;
    is_first_throw_ = is_first_wait_ = true;
    SegmentStart& start = *body_.add_packet()->mutable_segment_start();
    start.set_monotonic_ns(monotonic_ns);
    start.set_unix_ns(kStartUnixNs + (monotonic_ns - kStartNs));
  }

  Packet& At(uint64_t monotonic_ns) {
    Packet& packet = *body_.add_packet();
    packet.set_time_delta_ns(static_cast<int64_t>(monotonic_ns - now_ns_));
    now_ns_ = monotonic_ns;
    return packet;
  }

  uint32_t String(const std::string& text) {
    const auto [place, is_new] = strings_.try_emplace(text, strings_.size() + 1);
    if (is_new) {
      hindsight::String& string = *body_.add_packet()->mutable_string();
      string.set_id(place->second);
      string.set_value(text);
    }
    return place->second;
  }

  uint32_t Module(const std::string& name, bool is_native) {
    const auto [place, is_new] = modules_.try_emplace(name, modules_.size() + 1);
    if (is_new) {
      const uint32_t path = String(is_native ? "/lib/" + name : "/app/" + name + ".dll");
      const uint32_t assembly = is_native ? 0 : String(name);
      hindsight::Module& module = *body_.add_packet()->mutable_module();
      module.set_id(place->second);
      module.set_path(path);
      module.set_assembly(assembly);
      module.set_is_native(is_native);
      if (is_native) {
        module.set_build_id("\x12\x34\xab\xcd");
      } else {
        module.set_mvid("0123456789abcdef");
      }
    }
    return place->second;
  }

  uint32_t Type(const std::string& name, uint32_t module) {
    const auto [place, is_new] = types_.try_emplace(name, types_.size() + 1);
    if (is_new) {
      const uint32_t text = String(name);
      hindsight::Type& type = *body_.add_packet()->mutable_type();
      type.set_id(place->second);
      type.set_name(text);
      type.set_module(module);
    }
    return place->second;
  }

  // A stack on which `type`.`name` was called by `parent`; a native function without a type.
  uint32_t Call(uint32_t parent, const std::string& module, const std::string& type,
                const std::string& name) {
    const bool is_native = type.empty();
    const auto [method, is_new] = methods_.try_emplace(type + '.' + name, methods_.size() + 1);
    if (is_new) {
      const uint32_t module_id = Module(module, is_native);
      const uint32_t type_id = is_native ? 0 : Type(type, module_id);
      const uint32_t text = String(name);
      Method& made = *body_.add_packet()->mutable_method();
      made.set_id(method->second);
      made.set_name(text);
      made.set_type(type_id);
      made.set_module(module_id);
      made.set_is_native(is_native);
      if (is_native) made.set_native_rva(4096 * method->second);
      Frame& frame = *body_.add_packet()->mutable_frame();
      frame.set_id(method->second);
      frame.set_method(method->second);
      frame.set_address(0x7f0000000000 + 4096 * method->second);
      if (!is_native) frame.set_il_offset(1 + 7);
    }
    Stack& stack = *body_.add_packet()->mutable_stack();
    stack.set_id(++stacks_);
    stack.set_parent(parent);
    stack.set_frame(method->second);
    return stacks_;
  }

  void MakePaths() {
    const uint32_t main = Call(0, "Shop", "Shop.Program", "Main");
    const uint32_t serve = Call(main, "Shop", "Shop.Server", "Serve");
    uint32_t loop = Call(0, "System.Private.CoreLib", "System.Threading.Thread", "StartCallback");
    loop = Call(loop, "System.Private.CoreLib", "System.Threading.PortableThreadPool+WorkerThread",
                "WorkerThreadStart");
    const uint32_t checkout = Call(serve, "Shop", "Shop.Checkout", "Pay");
    const uint32_t json = Call(checkout, "System.Text.Json", "System.Text.Json.JsonSerializer",
                               "SerializeToUtf8Bytes");
    const uint32_t strings = Call(json, "System.Private.CoreLib", "System.String", "Concat");
    checkout_ = {checkout, json, strings, Call(strings, "libcoreclr.so", "", "JIT_NewArr1"),
                 Call(checkout, "Shop", kHostileType, "Run")};
    unrooted_ = Call(0, "libc.so.6", "", "memcpy");
    std::mt19937 random(7);
    for (uint32_t i = 0; i < settings_.methods; ++i) {
      uint32_t from = i < 4 ? (i % 2 == 0 ? serve : loop) : others_[random() % others_.size()];
      // For the newest ones, which are called from deep stacks: 20 to 60 frames.
      if (settings_.busy && i >= 40) from = others_[i - 1 - random() % 40];
      others_.push_back(Call(from, "Shop",
                             "Shop.Catalog.Area" + std::to_string(i % 7) + ".Dictionary`2",
                             "Find" + std::to_string(i)));
    }
    text_type_ = Type("System.String", Module("System.Private.CoreLib", false));
    hostile_type_ = Type(kHostileType, Module("Shop", false));
    error_type_ = Type("System.InvalidOperationException", Module("System.Private.CoreLib", false));
    if (settings_.busy) {
      for (uint32_t i = 0; i < 200; ++i) {
        busy_types_.push_back(Type("Shop.Model.Record" + std::to_string(i), Module("Shop", false)));
      }
    }
    throwing_ = Call(checkout, "Shop", "Shop.Card", "Charge");
    uint32_t wait = Call(serve, "Shop", "Shop.Stock", "Take");
    waiting_ = Call(wait, "System.Private.CoreLib", "System.Threading.Monitor", "Enter");
  }

  void Second(uint32_t second) {
    const uint64_t begin = kStartNs + second * 1'000'000'000ull;
    Samples(begin);
    Allocations(begin);
    Exception& thrown = *At(begin + 300'000'000).mutable_exception();
    thrown.set_id_delta(second + 1);
    thrown.set_thread(1);
    thrown.set_type(error_type_);
    thrown.set_stack(throwing_);
    ++truth_.exceptions;
    LockWait& wait = *At(begin + 500'000'000).mutable_lock_wait();
    wait.set_id_delta(second + 1);
    wait.set_kind(LockWait::MONITOR);
    wait.set_thread(settings_.threads);
    wait.set_lock(0x1000);
    wait.set_stack(waiting_);
    wait.set_over(true);
    wait.set_duration_ns(25'000'000);
    truth_.lock_ns += 25'000'000;
    ++truth_.lock_waits;
    Collection(begin + 700'000'000, second + 1);
  }

  void BusySecond(uint32_t second) {
    const uint64_t begin = kStartNs + second * 1'000'000'000ull;
    Samples(begin);
    for (uint32_t i = 0; i < 40; ++i) BusyException(begin + i * 25'000'000 + 1'000'000);
    for (uint32_t i = 0; i < 150; ++i) BusyWait(begin + i * 6'600'000 + 2'000'000);
    BusyAllocations(begin + 3'000'000);
    for (uint32_t i = 0; i < 2; ++i) {
      Collection(begin + 300'000'000 + i * 400'000'000, 2 * second + i + 1);
    }
    PoolSample& pool = *At(begin + 900'000'000).mutable_pool_sample();
    pool.set_workers(8 + random_() % 4);
    pool.set_queue_length(random_() % 20);
    pool.set_completed(3000ull * (second + 1));
    JitSample& jit = *At(begin + 900'000'000).mutable_jit_sample();
    jit.set_methods(12'000 + second);
    jit.set_il_bytes(900'000 + 80ull * second);
    jit.set_time_ns(4'000'000'000 + 300'000ull * second);
    jit.set_background_ns(100'000ull * second);
    RequestCounts& requests = *At(begin + 940'000'000).mutable_request_counts();
    requests.set_interval_ns(second == 0 ? 940'000'000 : 1'000'000'000);
    requests.set_started(second == 0 ? 303 : 300);
    requests.set_finished(300);
    requests.set_failed(random_() % 3);
    requests.set_server_errors(1);
    requests.set_busy_ns(300 * (2'000'000 + random_() % 3'000'000));
    requests.set_in_flight(3);
    BusyRoute(begin + 945'000'000);
    if (second % 10 == 9) ThreadSnapshotAt(begin + 950'000'000, second / 10 + 1);
  }

  void BusyRoute(uint64_t at_ns) {
    for (const bool is_failure : {false, true}) {
      const uint32_t tags =
          String("http.request.method=GET,http.route=/orders/{id},http.response.status_code=" +
                 std::string(is_failure ? "500,error.type=Shop.LostException" : "200"));
      RequestDurations& durations = *At(at_ns).mutable_request_durations();
      durations.set_instrument(RequestDurations::SERVER);
      durations.set_tags(tags);
      durations.set_count(is_failure ? 1 : 299);
      durations.set_total_ns(durations.count() * 3'000'000);
      durations.set_p50_ns(2'500'000);
      durations.set_p95_ns(6'000'000);
      durations.set_p99_ns(8'000'000);
    }
  }

  void BusyException(uint64_t at_ns) {
    const uint32_t kind = random_() % 50;
    const uint32_t message =
        String("order " + std::to_string(random_() % 5000) + " is not in stock");
    Exception& thrown = *At(at_ns).mutable_exception();
    thrown.set_id_delta(is_first_throw_ ? ++throws_ : (++throws_, 0));
    is_first_throw_ = false;
    thrown.set_thread(1 + random_() % settings_.threads);
    thrown.set_type(kind % 3 == 0 ? hostile_type_ : error_type_);
    thrown.set_stack(others_[kind * 7 % others_.size()]);
    thrown.set_message(message);
    thrown.mutable_outcome()->set_kind(hindsight::Outcome::CAUGHT);
    thrown.mutable_outcome()->set_catcher(1);
    thrown.mutable_outcome()->set_throw_to_end_ns(20'000 + random_() % 40'000);
    ++truth_.exceptions;
  }

  void BusyWait(uint64_t at_ns) {
    const uint32_t place = random_() % 60;
    LockWait& wait = *At(at_ns).mutable_lock_wait();
    wait.set_id_delta(is_first_wait_ ? ++waits_ : (++waits_, 0));
    is_first_wait_ = false;
    wait.set_kind(place % 2 == 0 ? LockWait::MONITOR : LockWait::LOCK);
    wait.set_thread(1 + random_() % settings_.threads);
    wait.set_lock(0x1000 + place % 20);
    wait.set_stack(place < 20 ? waiting_ : others_[place * 11 % others_.size()]);
    wait.set_over(true);
    wait.set_duration_ns(10'000 + random_() % 1'000'000);
    truth_.lock_ns += wait.duration_ns();
    ++truth_.lock_waits;
  }

  void BusyAllocations(uint64_t at_ns) {
    AllocationSamples& samples = *At(at_ns).mutable_allocation_samples();
    samples.set_sampling(AllocationSamples::BYTES);
    samples.set_mean_bytes(100 << 10);
    for (uint32_t i = 0; i < 300; ++i) {
      samples.add_time_delta_us(i == 0 ? 0 : 3000);
      samples.add_thread(1 + random_() % settings_.threads);
      samples.add_stack(others_[random_() % others_.size()]);
      samples.add_type(busy_types_[random_() % busy_types_.size()]);
      samples.add_size(24 + 8 * (random_() % 2000));
    }
  }

  void ThreadSnapshotAt(uint64_t at_ns, uint32_t number) {
    ThreadSnapshot& head = *At(at_ns).mutable_thread_snapshot();
    head.set_number(number);
    head.set_trigger(ThreadSnapshot::PERIODIC);
    head.set_threads(settings_.threads);
    head.set_stopping_ns(100'000);
    head.set_pause_ns(400'000);
    for (uint32_t thread = 1; thread <= settings_.threads; ++thread) {
      ThreadState& state = *body_.add_packet()->mutable_thread_state();
      state.set_snapshot(number);
      state.set_thread(thread);
      state.set_stack(others_[random_() % others_.size()]);
      state.set_cpu_ns(1'000'000ull * number * (thread + 1));
      state.set_switches(number);
      state.set_state(ThreadState::SLEEPING);
    }
  }

  void Samples(uint64_t begin) {
    CpuSamples& samples = *At(begin).mutable_cpu_samples();
    samples.set_period_ns(kPeriodNs);
    uint64_t last_us = 0;
    for (uint32_t i = 0; i < 100; ++i) {
      for (uint32_t thread = 1; thread <= settings_.threads; ++thread) {
        // In the place of others, so that the number of samples stays the same.
        const bool pays = random_() % 10 < 2 * settings_.slower_checkout;
        const uint32_t stack =
            pays ? checkout_[random_() % checkout_.size()] : others_[random_() % others_.size()];
        const bool is_lost = i == 99 && thread == 1;
        const uint64_t now_us = i * 10'000;
        samples.add_time_delta_us(static_cast<int32_t>(now_us - last_us));
        last_us = now_us;
        samples.add_thread(thread);
        samples.add_stack(is_lost ? unrooted_ : stack);
        if (is_lost) samples.add_unrooted(static_cast<uint32_t>(samples.stack_size() - 1));
        truth_.cpu_ns += kPeriodNs;
        ++truth_.samples;
      }
    }
  }

  void Allocations(uint64_t begin) {
    AllocationSamples& samples = *At(begin + 200'000'000).mutable_allocation_samples();
    samples.set_sampling(AllocationSamples::BYTES);
    samples.set_mean_bytes(100 << 10);
    for (uint32_t i = 0; i < 20; ++i) {
      samples.add_time_delta_us(i == 0 ? 0 : 1000);
      samples.add_thread(1);
      samples.add_stack(i % 4 == 0 ? others_[i % others_.size()] : checkout_[2]);
      samples.add_type(i % 5 == 0 ? hostile_type_ : text_type_);
      samples.add_size(24 + 8 * i);
    }
  }

  void Collection(uint64_t at_ns, uint32_t number) {
    Suspension& pause = *At(at_ns).mutable_suspension();
    pause.set_reason(1);
    pause.set_stopping_ns(50'000);
    pause.set_total_ns(4'000'000);
    GarbageCollection& collection = *At(at_ns + 60'000).mutable_garbage_collection();
    collection.set_number(number);
    collection.set_generation(number % 3);
    collection.set_duration_ns(3'800'000);
    collection.set_runtime_number(number);
    collection.set_type(GarbageCollection::BLOCKING);
    for (uint32_t generation = 0; generation < 5; ++generation) {
      GenerationSizes& sizes = *collection.add_sizes();
      sizes.set_generation(generation);
      sizes.set_before_bytes(20'000'000);
      sizes.set_after_bytes(1'000'000 * (generation + 1) + number * 10'000);
    }
  }

  const ProfileSettings& settings_;
  ProfileTruth& truth_;
  RecordingBuilder builder_;
  Recording body_;
  uint64_t now_ns_ = 0;
  std::mt19937 random_{42};
  std::map<std::string, uint32_t> strings_, modules_, types_, methods_;
  uint32_t stacks_ = 0;
  std::vector<uint32_t> checkout_, others_;
  uint32_t unrooted_ = 0, throwing_ = 0, waiting_ = 0;
  std::vector<uint32_t> busy_types_;
  uint64_t throws_ = 0, waits_ = 0;
  bool is_first_throw_ = true, is_first_wait_ = true;  // of the segment
  uint32_t text_type_ = 0, hostile_type_ = 0, error_type_ = 0;
};

}  // namespace

RecordingBuilder ProfileRecording(const ProfileSettings& settings, ProfileTruth& truth) {
  return Maker(settings, truth).Make();
}

}  // namespace hindsight::testing
