// A worker runs cases for hours: none may leave memory behind, and least of all one that ended early.
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

struct Ended {
  const char* stack;
  Ending ending;
};

// What is equal, captured, cut into stages, sent round, dealt to experts, dropped out; what fails while applying, and what
// deadlocks in a step.
constexpr Ended kCases[] = {
    {"(nothing)", Ending::completed},
    {"tp=2,ac,compile,fsdp=2", Ending::completed},
    {"sac,compile,ddp=2:bucket_kib=64", Ending::completed},
    {"pp=2:zbv:microbatches=4,ac:reentrant", Ending::completed},
    {"cp=2:ring,hsdp=1x2", Ending::completed},
    {"ep=2,fsdp=2 model=moe", Ending::completed},
    {"ac,compile model=llama_dropout", Ending::completed},
    {"compile@model,fsdp=2", Ending::completed},
    {"simple_fsdp=5,compile@model", Ending::completed},
    {"fsdp=2,tp=2", Ending::failed},
    {"pp=2", Ending::deadlocked},  // rank 1 skips a message, in backward
};
constexpr int kWarmUp = 20, kTimes = 80;
// One block of malloc for each case would be 2560 bytes.
constexpr std::int64_t kNoise = 2048;

// In use, of all arenas and of what was mapped for one block.
std::int64_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

class Memory : public testing::TestWithParam<Ended> {
 protected:
  void run_it(int times) const {
    Case subject = case_of(GetParam().stack);
    subject.settings.steps = 1;
    std::optional<Fault> fault;
    if (GetParam().ending == Ending::deadlocked) fault = Fault{.kind = "skip_collective", .rank = 1, .sequence = 3};
    for (int i = 0; i < times; ++i) ASSERT_EQ(run(subject, fault).ending, GetParam().ending);
  }
};

// More than a thousand cases in one process.
TEST_P(Memory, IsGivenBack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has an allocator of its own, and mallinfo2 counts nothing of it";
#endif
  const char* tunables = std::getenv("GLIBC_TUNABLES");
  if (!tunables || std::string(tunables) != "glibc.malloc.tcache_count=0")
    GTEST_SKIP()
        << "what malloc caches for each thread counts as in use: run it with GLIBC_TUNABLES=glibc.malloc.tcache_count=0";
  static_assert(std::size(kCases) * (kWarmUp + kTimes) >= 1000);
  run_it(kWarmUp);  // what is made once: tables of operators, caches of LibTorch
  const std::int64_t before = bytes_in_use();
  run_it(kTimes);
  EXPECT_LE(bytes_in_use() - before, kNoise);
}

INSTANTIATE_TEST_SUITE_P(Cases, Memory, testing::ValuesIn(kCases), [](const auto& info) {
  std::string name = info.param.stack;
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

}  // namespace
}  // namespace ordercheck::ranks
