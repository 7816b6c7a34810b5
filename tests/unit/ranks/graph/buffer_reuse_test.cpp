#include "ranks/graph/buffer_reuse.h"

#include <algorithm>

#include "ranks/device/fake_device.h"
#include "ranks/graph/pass_list.h"
#include "unit/ranks/graph/sharded_graph.h"

namespace ordercheck::ranks {
namespace {

using captured::SentBuffers;
using testing::HasSubstr;

// Three layers of one size, so that every value fits where any other one was.
struct Chain {
  std::vector<at::Tensor> inputs, pieces;

  explicit Chain(const RankState& rank) : inputs{variable(numbers({4, 4}, rank.rank).to(rank.device))} {
    for (const int layer : {10, 20, 30}) pieces.push_back(variable(numbers({2, 4}, rank.rank + layer).to(rank.device)));
  }

  GraphPtr recorded(const std::vector<std::string>& passes) const {
    const GraphPtr graph = record(
        "a chain",
        [&](const std::vector<at::Tensor>& in) {
          at::Tensor hidden = in[0];
          for (const at::Tensor& piece : pieces) {
            const UnshardScope scope(CheckpointPolicy::must_recompute, "a");
            hidden = hidden.mm(gather_from_group(piece, 0, "dp_shard")).sin();
          }
          return hidden;
        },
        inputs, pieces);
    run_passes(*graph, passes);
    return graph;
  }

  Outcome outcome(const std::vector<std::string>& passes) const { return replayed(recorded(passes), inputs); }
};

void on_two(const std::function<void(const Chain&)>& body) {
  complete(mesh_with({{"dp_shard", 2}}), [&](RankState& rank) { body(Chain(rank)); });
}

Outcome on_host(Outcome outcome) {
  outcome.value = outcome.value.to(at::kCPU);
  for (at::Tensor& gradient : outcome.gradients)
    if (gradient.defined()) gradient = gradient.to(at::kCPU);
  return outcome;
}

int placed(const Graph& graph) {
  return static_cast<int>(std::ranges::count_if(graph.buffers.buffer, [](int buffer) { return buffer != -1; }));
}

TEST(BufferReuse, WritesOverWhatNobodyReadsAndChangesNoBit) {
  on_two([](const Chain& chain) {
    for (const std::vector<std::string>& passes : {std::vector<std::string>{"common", "partition"},
                                                   {"common", "partition", "overlap"},
                                                   {"common", "partition", "bucket"}}) {
      std::vector<std::string> reusing = passes;
      reusing.push_back("reuse");
      const GraphPtr graph = chain.recorded(reusing);
      EXPECT_LT(graph->buffers.bytes.size(), static_cast<std::size_t>(placed(*graph)));
      EXPECT_TRUE(same_outcome(replayed(graph, chain.inputs), chain.outcome(passes)));
    }
  });
}

// What a bucket's new nodes read was written over by then; the hostile order of the one above.
TEST(BufferReuse, BeforeBucketsNumbersAreWrongWithoutAWord) {
  on_two([](const Chain& chain) {
    EXPECT_FALSE(same_outcome(chain.outcome({"common", "partition", "reuse", "bucket"}),
                              chain.outcome({"common", "partition", "bucket", "reuse"})));
  });
}

// By a plan that is made anew behind the passes, on a device whose streams are watched.
std::string on_streams(SentBuffers sent) {
  const c10::Device device = install_fake_device();
  const WorldResult result =
      run_thread_world(mesh_with({{"dp_shard", 2}}), {.devices = {device, device}}, [&](RankState& rank) {
        const Chain chain(rank);
        const std::vector<std::string> passes{"common", "partition", "overlap"};
        const GraphPtr graph = chain.recorded(passes);
        graph->buffers = captured::plan_buffers(describe(*graph), sent);
        EXPECT_TRUE(same_outcome(on_host(replayed(graph, chain.inputs)), on_host(chain.outcome(passes))));
      });
  return result.failure ? result.failure->message : name_of(result.ending);
}

TEST(BufferReuse, B16NothingIsWrittenBetweenAStartAndItsWait) {
  EXPECT_EQ(on_streams(SentBuffers::kept_to_the_wait), "completed");
  EXPECT_THAT(on_streams(SentBuffers::given_up_at_the_start), HasSubstr("and no event or synchronization orders the two"));
}

}  // namespace
}  // namespace ordercheck::ranks
