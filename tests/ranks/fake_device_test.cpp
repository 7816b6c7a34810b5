// Whole cases on the fake device: the same bits, counters and collectives as on the CPU.
#include "device/fake_device.h"

#include <gmock/gmock.h>

#include "ranks/on_case.h"
#include "record/difference.h"

namespace ordercheck::ranks {
namespace {

Record run_on(const RankSetup& setup, const ordercheck::Run& asked) {
  at::set_num_threads(1);
  install_saved_tensor_hooks();
  return run_case_in(setup, asked, nullptr, [](int) {});
}

Record run_on(const at::Device& device, const Case& subject) {
  ordercheck::Run asked;
  asked.subject = subject;
  return run_on({.cpu = device}, asked);
}

class OnBothDevices : public testing::TestWithParam<const char*> {};

TEST_P(OnBothDevices, TheDigestIsTheSame) {
  const Case subject = case_of(GetParam());
  const Record cpu = run_on(at::kCPU, subject), fake = run_on(install_fake_device(), subject);
  ASSERT_EQ(cpu.ending, Ending::completed) << cpu.failure->message;
  ASSERT_EQ(fake.ending, Ending::completed) << fake.failure->message;
  EXPECT_EQ(fake.parameters, cpu.parameters);
  EXPECT_EQ(digest(fake), digest(cpu));
}

INSTANTIATE_TEST_SUITE_P(FakeDevice, OnBothDevices,
                         testing::Values("tp=2,ac,fsdp=2", "fsdp=3", "hsdp=2x2", "ddp=2,compile", "cp=2:ring", "amp,fsdp=2",
                                         "pp=2:zbv:microbatches=4", "ep=2,fsdp=2 model=moe", "sac,compile model=llama_dropout",
                                         "fsdp=2,optimizer=adamw:in_backward=on", "simple_fsdp=5",
                                         "simple_hsdp=2x2,compile@model"));

TEST(FakeDevice, ADifferenceIsSeenThereToo) {
  const Case subject = case_of("fsdp=2"), other = case_of("fsdp=2 seed=2");
  EXPECT_TRUE(first_difference(run_on(at::kCPU, subject), run_on(install_fake_device(), other)));
}

TEST(FakeDevice, ADeadlockAndAMismatchAreFoundExactlyThereToo) {
  for (const char* kind : {"skip_collective", "wrong_shape"}) {
    ordercheck::Run asked;
    asked.subject = case_of("fsdp=2");
    asked.fault = Fault{.kind = kind, .rank = 1, .sequence = 3};
    const Record cpu = run_on({}, asked), fake = run_on({.cpu = install_fake_device()}, asked);
    ASSERT_TRUE(cpu.failure && fake.failure) << kind;
    EXPECT_EQ(fake.ending, cpu.ending) << kind;
    EXPECT_EQ(fake.failure->message, cpu.failure->message) << kind;
  }
}

// A plan of memory that a later pass moves collectives away from; on the CPU the numbers depend on which rank comes first.
TEST(FakeDevice, NamesTheRaceOfMemoryThatIsPlannedTooEarly) {
  const auto planned = [](const std::string& passes) {
    return case_of("simple_fsdp=2:bucket=transformer_block,compile:passes=common+partition+" + passes + "@model");
  };
  const Record early = run_on(install_fake_device(), planned("bucket+reuse+overlap"));
  ASSERT_EQ(early.ending, Ending::failed);
  EXPECT_THAT(early.failure->message, testing::HasSubstr("and no event or synchronization orders the two"));
  const Case last = planned("bucket+overlap+reuse");
  const Record fake = run_on(install_fake_device(), last);
  ASSERT_EQ(fake.ending, Ending::completed) << fake.failure->message;
  EXPECT_EQ(digest(fake), digest(run_on(at::kCPU, last)));
}

}  // namespace
}  // namespace ordercheck::ranks
