// Whole cases with a process a rank: the same bits as with threads, and what goes wrong is in the record.
#include <cstdlib>

#include <gmock/gmock.h>

#include "ranks/on_case.h"
#include "record/difference.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

Record run_in(WorldKind kind, const Case& subject) {
  at::set_num_threads(1);
  install_saved_tensor_hooks();
  Run asked;
  asked.subject = subject;
  return run_case_in({.world = kind}, asked, nullptr, [](int) {});
}

class InBothWorlds : public testing::TestWithParam<const char*> {};

TEST_P(InBothWorlds, BitsCountersAndCollectivesAreTheSame) {
  const Case subject = case_of(GetParam());
  const Record threads = run_in(WorldKind::threads, subject), processes = run_in(WorldKind::gloo, subject);
  ASSERT_EQ(threads.ending, Ending::completed) << threads.failure->message;
  ASSERT_EQ(processes.ending, Ending::completed) << processes.failure->message;
  EXPECT_EQ(processes.steps, threads.steps);
  EXPECT_EQ(processes.parameters, threads.parameters);
  EXPECT_EQ(processes.counters, threads.counters);
  EXPECT_EQ(processes.collectives, threads.collectives);
  EXPECT_EQ(processes.range_used, threads.range_used);
}

INSTANTIATE_TEST_SUITE_P(ProcessWorld, InBothWorlds,
                         testing::Values("tp=2,ac,fsdp=2", "fsdp=3", "hsdp=2x2", "ddp=2", "cp=2:ring",
                                         "pp=2:zbv:microbatches=4", "ep=2,fsdp=2 model=moe", "simple_fsdp=5,compile@model"));

TEST(ProcessWorld, ADifferenceIsSeenThereToo) {
  const Case subject = case_of("fsdp=2"), other = case_of("fsdp=2 seed=2");
  EXPECT_TRUE(first_difference(run_in(WorldKind::threads, subject), run_in(WorldKind::gloo, other)));
}

TEST(ProcessWorld, WithoutAFolderForTemporaryFilesTheCaseFailsAndSaysSo) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", "/no/such/folder", 1);
  const Record record = run_in(WorldKind::gloo, case_of("fsdp=2"));
  before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  EXPECT_EQ(record.ending, Ending::failed);
  ASSERT_TRUE(record.failure);
  EXPECT_THAT(record.failure->message, HasSubstr("/no/such/folder"));
}

}  // namespace
}  // namespace ordercheck::ranks
