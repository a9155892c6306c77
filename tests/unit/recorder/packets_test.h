// What the tests of a source's drain side share: what it writes to, and where it looks up names and
// threads. There is no runtime behind it, so only threads of this process have names.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/threads/thread_roster.h"
#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {

class PacketsTest : public testing::Test {
 protected:
  explicit PacketsTest(bool records_threads) : threads_(dictionaries_, records_threads) {}

  void SetUp() override {
    std::string why;
    ASSERT_TRUE(segments_.Open(ConfigFor(tmp_.path()), &why)) << why;
    packets_.OnNewFile([this] {
      dictionaries_.StartFile();
      threads_.StartFile();
    });
    dictionaries_.ForEventAt(0);
  }

  TemporaryFolder tmp_;
  SegmentWriter segments_;
  PacketWriter packets_{segments_};
  StackTable stacks_;
  std::atomic<bool> suspended_{false};
  CodeGate gate_;
  RuntimeMetadata names_{nullptr, gate_};
  DictionaryWriter dictionaries_{names_, stacks_, suspended_, packets_};
  ThreadRoster threads_;
};

}  // namespace hindsight::recorder
