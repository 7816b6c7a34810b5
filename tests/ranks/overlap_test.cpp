// What overlap is worth by the model of costs, on any machine: of the graphs that a rank captured, with their pass and without it.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "graph/timeline.h"
#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

const std::vector<GraphRecord>& captured_of(const std::string& text) {
  static std::map<std::string, std::vector<GraphRecord>> known;
  const auto [entry, added] = known.try_emplace(text);
  if (added) {
    at::set_num_threads(1);
    install_saved_tensor_hooks();
    entry->second = run_case({.subject = case_of(text), .keep = Keep::graphs}, nullptr, {}).graphs;
  }
  return entry->second;
}

captured::Timeline timed(const std::string& text, const placing::Machine& machine) {
  return captured::timeline_of(captured_of(text), machine).value();
}

// From one that sends in no time to one whose links are all that it waits for.
placing::Machine drawn_machine() {
  const auto power_of_ten = [](int low, int high) { return std::pow(10.0, *rc::gen::inRange(low * 10, high * 10 + 1) / 10.0); };
  placing::Machine machine = captured::stated_machine();
  for (placing::Link& link : machine.links)
    link = {.bytes_per_us = power_of_ten(1, 7), .latency_us = *rc::gen::inRange(0, 50) / 2.0};
  machine.launch_us = *rc::gen::inRange(0, 20) / 2.0;
  machine.memory_bytes_per_us = power_of_ten(4, 7);
  return machine;
}

std::string stack_with(const std::string& bucket, const std::string& passes) {
  return "simple_fsdp=4" + bucket + ",compile:passes=common+partition" + passes + "@model";
}

RC_GTEST_PROP(Overlap, B29ExposesNoMoreThanTheOrderItStartsFrom, ()) {
  const placing::Machine machine = drawn_machine();
  for (const auto& [bucket, passes] :
       {std::pair{"", ""}, {":bucket=transformer_block", "+bucket"}, {":bucket=auto", "+auto_buckets+bucket"}}) {
    const captured::Timeline before = timed(stack_with(bucket, passes), machine);
    const captured::Timeline after = timed(stack_with(bucket, std::string(passes) + "+overlap"), machine);
    RC_ASSERT(after.computing == before.computing);
    RC_ASSERT(after.sending == before.sending);
    RC_ASSERT(after.exposed <= before.exposed);
  }
}

// On another machine than it was planned for, an automatic one may be slower: it goes by the stated machine's times.
TEST(Overlap, B29NoModeIsSlowerThanNoneOnTheMachineThatItIsPlannedFor) {
  const placing::Machine machine = captured::stated_machine();
  const captured::Timeline none = timed("simple_fsdp=4,compile@model", machine);
  for (const char* bucket : {"transformer_block", "manual:bucket_modules=layers.0+layers.1", "auto"}) {
    const captured::Timeline bucketed = timed("simple_fsdp=4:bucket=" + std::string(bucket) + ",compile@model", machine);
    EXPECT_LT(bucketed.step, none.step) << bucket;
    EXPECT_LT(bucketed.exposed, none.exposed) << bucket;
  }
}

}  // namespace
}  // namespace ordercheck::ranks
