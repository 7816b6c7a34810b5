#include "engine/line_buffer.h"

#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace ordercheck {
namespace {

TEST(line_buffer, gives_a_line_when_its_end_is_there) {
  LineBuffer buffer;
  std::string line;
  buffer.append("one\ntw");
  EXPECT_TRUE(buffer.take(line));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(buffer.take(line));
  EXPECT_EQ(buffer.size(), 2u);
  buffer.append("o\n\n");
  EXPECT_TRUE(buffer.take(line));
  EXPECT_EQ(line, "two");
  EXPECT_TRUE(buffer.take(line));
  EXPECT_EQ(line, "");
  EXPECT_EQ(buffer.size(), 0u);
}

RC_GTEST_PROP(line_buffer, loses_and_invents_nothing, ()) {
  const auto piece = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n'));
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  LineBuffer buffer;
  std::string whole, taken, line;
  for (const std::string& each : pieces) {
    whole += each;
    buffer.append(each);
    while (*rc::gen::arbitrary<bool>() && buffer.take(line)) taken += line + "\n";
  }
  while (buffer.take(line)) taken += line + "\n";
  RC_ASSERT(taken == whole.substr(0, whole.rfind('\n') + 1));
  RC_ASSERT(buffer.size() == whole.size() - taken.size());
}

}  // namespace
}  // namespace ordercheck
