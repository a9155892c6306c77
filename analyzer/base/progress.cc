#include "analyzer/base/progress.h"

#include <algorithm>
#include <utility>

#include "analyzer/base/console.h"

namespace hindsight::analyzer {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 500ms;  // shorter work shows nothing
constexpr auto kInterval = 100ms;
constexpr int kMaxBarWidth = 40;

int TerminalWidth(int descriptor) {
  const size_t columns = SizeOfTerminal(descriptor).columns;
  return columns == 0 ? 80 : static_cast<int>(columns);
}

}  // namespace

Progress::Progress(std::string label)
    : Progress(std::move(label), kStandardError, IsTerminal(kStandardError)) {}

Progress::Progress(std::string label, int descriptor, bool draws)
    : label_(std::move(label)),
      descriptor_(descriptor),
      draws_(draws),
      started_(Clock::now()),
      next_draw_(started_ + kPatience) {}

Progress::~Progress() { Finish(); }

void Progress::Start(uint64_t total) {
  Finish();
  done_ = 0;
  total_ = total;
  started_ = Clock::now();
  next_draw_ = started_ + kPatience;
}

void Progress::Update(uint64_t done) {
  done_.store(done, std::memory_order_relaxed);
  if (!draws_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kInterval;
  Draw(done);
}

void Progress::Finish() {
  if (!visible_) return;
  visible_ = false;
  WriteTo(descriptor_, "\r\x1b[K");
}

int Progress::Percent() const {
  const uint64_t total = total_, done = done_;
  return total == 0 ? 0
                    : static_cast<int>(100.0 * static_cast<double>(std::min(done, total)) /
                                       static_cast<double>(total));
}

void Progress::Draw(uint64_t done) {
  std::string line = "\r" + label_;
  if (total_ > 0) {
    const double share =
        std::min(1.0, static_cast<double>(done) / static_cast<double>(total_.load()));
    const int room = TerminalWidth(descriptor_) - static_cast<int>(label_.size()) - 9;
    const int width = std::clamp(room, 0, kMaxBarWidth);
    const int filled = static_cast<int>(share * width);
    line += " [" + std::string(filled, '=') + std::string(width - filled, ' ') + "] ";
    line += std::to_string(static_cast<int>(share * 100)) + "%";
  }
  line += "\x1b[K";
  WriteTo(descriptor_, line);  // failing to draw is not an error
  visible_ = true;
}

}  // namespace hindsight::analyzer
