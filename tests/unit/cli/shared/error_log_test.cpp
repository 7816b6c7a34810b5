#include "cli/shared/error_log.h"

#include <sstream>

#include <gmock/gmock.h>

namespace ordercheck::cli {
namespace {

using testing::ElementsAre;

std::vector<std::string> messages(const std::string& text) {
  std::istringstream log(text);
  std::vector<std::string> found;
  for (const LoggedError& error : errors_in(log)) found.push_back(error.message);
  return found;
}

TEST(ErrorLog, FindsTheCauseBeforeWhatFollowsFromIt) {
  std::istringstream log(
      "step 1 loss 12.0\n"
      "Traceback (most recent call last):\n"
      "  File \"train.py\", line 7, in main\n"
      "    loss.backward()\n"
      "  File \"/usr/lib/python3/site-packages/torch/distributed/tensor/_dispatch.py\", line 493, in unwrap\n"
      "    raise RuntimeError(\n"
      "RuntimeError: aten.mm: got mixed torch.Tensor and DTensor\n"
      "\n"
      "The above exception was the direct cause of the following exception:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"train.py\", line 9, in <module>\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n");
  const std::vector<LoggedError> errors = errors_in(log);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].message, "RuntimeError: aten.mm: got mixed torch.Tensor and DTensor");
  EXPECT_EQ(errors[0].line, 7u);
  EXPECT_EQ(errors[0].frame, "torch/distributed/tensor/_dispatch.py:493 in unwrap");
  EXPECT_EQ(errors[1].frame, "train.py:9 in <module>");
}

TEST(ErrorLog, TakesWhatEveryRankSaysOnce) {
  EXPECT_THAT(messages("[rank0]: ValueError: shape (2, 3) on rank 0\n[rank1]: ValueError: shape (4, 6) on rank 1\n"
                       "[rank1]: ValueError: another one\n"),
              ElementsAre("ValueError: shape (2, 3) on rank 0", "ValueError: another one"));
}

TEST(ErrorLog, ReadsTheWatchdogOfNccl) {
  EXPECT_THAT(
      messages("[rank3]:[E1126 10:11:12.1 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught collective operation timeout: "
               "WorkNCCL(SeqNum=7, OpType=ALLREDUCE)\nmore\n"),
      ElementsAre("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE)"));
}

TEST(ErrorLog, ProseAboutErrorsIsNone) {
  EXPECT_THAT(messages("no Error: here\nKeyError: 'tp'\nan AssertionError was avoided\n"), ElementsAre("KeyError: 'tp'"));
}

TEST(ErrorLog, WithoutAnErrorGivesTheLastLines) {
  EXPECT_THAT(messages("got mixed torch.Tensor and DTensor\nbye\n"), ElementsAre("got mixed torch.Tensor and DTensor", "bye"));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "line\n";
  EXPECT_EQ(messages(many).size(), 50u);
}

TEST(ErrorLog, IsBoundedWhateverTheBytes) {
  EXPECT_TRUE(messages("").empty());
  EXPECT_TRUE(messages("\n\n \n").empty());
  EXPECT_EQ(messages("ValueError: " + std::string(1 << 20, 'x')).front().size(), 2000u);
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "ValueError: " + std::string(static_cast<std::size_t>(i), 'a') + "\n";
  EXPECT_LE(messages(many).size(), 1000u);
  EXPECT_EQ(messages(std::string("[[[[[]]]]]\0\x80\xff", 13)).size(), 1u);
}

}  // namespace
}  // namespace ordercheck::cli
