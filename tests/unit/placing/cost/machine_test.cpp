#include "placing/cost/machine.h"

#include <gtest/gtest.h>

namespace ordercheck::placing {
namespace {

const DeviceMesh kMesh{{"dp_shard", 2}, {"tp", 2}};

TEST(CheckMachine, TakesTheStatedOne) { EXPECT_TRUE(check_machine(h100(kMesh), kMesh)); }

TEST(CheckMachine, WantsALinkForEveryAxis) {
  EXPECT_EQ(check_machine(h100({{"tp", 2}}), kMesh).error().message,
            "the machine states 1 links for a mesh of 2 axes; expected one an axis");
}

TEST(CheckMachine, WantsSpeedsAboveZero) {
  Machine machine = h100(kMesh);
  machine.links[1].bytes_per_us = 0;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.links[0].latency_us = -1;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.memory_bytes_per_us = 0;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.flops_per_us[2] = -1;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.launch_us = 0;
  EXPECT_TRUE(check_machine(machine, kMesh));
}

}  // namespace
}  // namespace ordercheck::placing
