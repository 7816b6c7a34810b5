#include "graph/machine_file.h"

#include <gmock/gmock.h>

namespace ordercheck::placing {
namespace {

using testing::ElementsAre;

const DeviceMesh kTwoAxes{{"dp_shard", 8}, {"tp", 8}};

std::vector<double> speeds(const Machine& machine) {
  std::vector<double> all;
  for (const Link& link : machine.links) all.push_back(link.bytes_per_us);
  return all;
}

TEST(MachineFile, HasLinksByAxisAndTheUsualOneForOthers) {
  const auto machine = read_machine(R"(name = "two kinds of links"
memory_gb_per_s = 2000
launch_us = 0
reachable_percent = 50
[tflop_per_s]
2_bytes = 312
[link]
gb_per_s = 300
latency_us = 0
[link.dp_shard]
gb_per_s = 12.5
)",
                                    "m.toml", kTwoAxes);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->name, "two kinds of links");
  EXPECT_EQ(machine->memory_bytes_per_us, 2e6);
  EXPECT_EQ(machine->launch_us, 0);
  EXPECT_EQ(machine->reachable, 0.5);
  EXPECT_EQ(machine->flops_per_us.at(2), 312e6);
  EXPECT_THAT(speeds(*machine), ElementsAre(12.5e3, 300e3));
  EXPECT_EQ(machine->links[0].latency_us, 0);
  EXPECT_TRUE(check_machine(*machine, kTwoAxes));
}

TEST(MachineFile, IsAnH100InWhatItLeavesOut) {
  const auto machine = read_machine("name = \"mine\"\n", "m.toml", kTwoAxes);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->flops_per_us, h100(kTwoAxes).flops_per_us);
  EXPECT_EQ(speeds(*machine), speeds(h100(kTwoAxes)));
}

TEST(MachineFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read_machine("name = \"m\"\n[link.pp]\ngb_per_s = 5\n", "m.toml", kTwoAxes).error().message,
            "m.toml:2: unknown key 'pp' in [link]; did you mean 'tp'?");
  EXPECT_EQ(read_machine("name = \"m\"\nmemory_gb_per_s = 0\n", "m.toml", kTwoAxes).error().message,
            "m.toml:2: 'memory_gb_per_s': expected a number above 0 and at most 1000000000");
  EXPECT_EQ(read_machine("name = \"m\"\nreachable_percent = 500\n", "m.toml", kTwoAxes).error().message,
            "m.toml:2: 'reachable_percent': expected a number above 0 and at most 100");
  EXPECT_FALSE(read_machine("memory_gb_per_s = 1\n", "m.toml", kTwoAxes));
}

}  // namespace
}  // namespace ordercheck::placing
