#include "ranks/graph/graph_break.h"

#include <optional>
#include <thread>

#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

TEST(GraphBreak, IsThrownWhileThisThreadRecordsOnly) {
  EXPECT_NO_THROW(break_graph("nobody records"));
  const RecordingScope recording;
  EXPECT_TRUE(is_recording());
  try {
    break_graph("a storage is resized");
    FAIL() << "nothing was thrown";
  } catch (const GraphBreak& reason) {
    EXPECT_STREQ(reason.what(), "a storage is resized");
  }
  std::optional<bool> elsewhere;
  std::thread([&] { elsewhere = is_recording(); }).join();
  EXPECT_EQ(elsewhere, false);
}

TEST(GraphBreak, RecordingsNest) {
  {
    const RecordingScope outer;
    {
      const RecordingScope inner;
    }
    EXPECT_TRUE(is_recording());
  }
  EXPECT_FALSE(is_recording());
}

}  // namespace
}  // namespace ordercheck::ranks
