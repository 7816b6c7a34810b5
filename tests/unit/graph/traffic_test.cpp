#include "graph/traffic.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const DeviceMesh kEightRanks{{"dp_shard", 4}, {"tp", 2}};
const JointValue kValue{.shape = {8, 16}, .element_bytes = 2};  // 256 bytes

std::vector<std::string> sent(const std::string& from, const std::string& to) {
  std::vector<std::string> words;
  for (const SentOver& each : traffic_of(kValue, placements_named(from), placements_named(to), kEightRanks))
    words.push_back(fmt::format("{} {} {}", name_of(each.kind), each.axes, each.bytes));
  return words;
}

TEST(Traffic, IsWhatARankOfARingSends) {
  EXPECT_THAT(sent("S(0)R", "RR"), ElementsAre("all_gather dp_shard 192"));
  EXPECT_THAT(sent("PR", "S(0)R"), ElementsAre("reduce_scatter dp_shard 192"));
  EXPECT_THAT(sent("PR", "RR"), ElementsAre("all_reduce dp_shard 384"));
  EXPECT_THAT(sent("RS(0)", "RS(1)"), ElementsAre("all_to_all tp 64"));
}

TEST(Traffic, OfOneAxisIsOfWhatTheOtherLeaves) {
  EXPECT_THAT(sent("S(0)S(1)", "RS(1)"), ElementsAre("all_gather dp_shard 96"));
  EXPECT_THAT(sent("S(0)S(0)", "S(0)R"), ElementsAre("all_gather tp 32"));
}

TEST(Traffic, OfBothAxesAtOnceIsOneCollective) { EXPECT_THAT(sent("PP", "RR"), ElementsAre("all_reduce dp_shard+tp 448")); }

TEST(Traffic, IsNoneWhereARankCutsItsPart) { EXPECT_THAT(sent("RR", "S(0)S(1)"), IsEmpty()); }

TEST(Placements, AreReadAsTheyAreNamed) {
  for (const Placements& each : combinations({replicate(), shard(0), shard(12), partial()}, kEightRanks))
    EXPECT_EQ(placements_named(name_of(each)), each);
}

}  // namespace
}  // namespace ordercheck::placing
