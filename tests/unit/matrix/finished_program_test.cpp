#include "matrix/finished_program.h"

#include <gmock/gmock.h>

namespace ordercheck {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

Result<FinishedProgram> shell(const std::string& script, const std::string& input = "",
                              std::chrono::milliseconds limit = seconds(60)) {
  return run_to_end({"/bin/sh", "-c", script}, {"WORD=said"}, input, limit);
}

TEST(finished_program, gives_what_it_wrote_and_how_it_ended) {
  const auto finished = shell("cat; echo $WORD; echo first >&2; echo last >&2; echo >&2; exit 3", "asked\n");
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(finished->output, "asked\nsaid\n");
  EXPECT_EQ(finished->last_error, "last");
  EXPECT_EQ(describe(finished->end), "exited with code 3");
}

TEST(finished_program, more_than_a_pipe_holds_arrives_whole) {
  const auto finished = shell("head -c 300000 /dev/zero");
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(finished->output.size(), 300000u);
}

TEST(finished_program, what_does_not_read_or_leaves_its_pipes_to_others_is_no_hang) {
  const auto finished = shell("sleep 600 & exit 0", std::string(200000, 'x'));
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(finished->end.exit_code, 0);
}

TEST(finished_program, one_that_does_not_end_or_cannot_start_is_an_error) {
  const auto late = shell("sleep 600", "", std::chrono::milliseconds(50));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "/bin/sh is too slow: it did not end within 0.05 s");
  EXPECT_TRUE(is_too_slow(late.error()));
  const auto missing = run_to_end({"/nowhere/program"}, {}, "", seconds(1));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/program"));
  EXPECT_FALSE(is_too_slow(missing.error()));
}

}  // namespace
}  // namespace ordercheck
