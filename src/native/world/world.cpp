#include "native/world/world.h"

#include <pthread.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <system_error>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include "native/world/current_module.h"
#include "native/world/rank_groups.h"
#include "native/world/rank_stream.h"
#include "native/world/thread_world.h"

namespace ordercheck::ranks {
namespace {

void register_groups(const std::shared_ptr<ThreadWorld>& world, RankState& state, RegisteredGroups& registered) {
  for (const auto& group : world->groups_of(state.rank)) {
    const int group_rank = static_cast<int>(std::ranges::find(group->ranks, state.rank) - group->ranks.begin());
    registered.add(group->name, group_rank, static_cast<int>(group->ranks.size()), state.device.type(),
                   c10::make_intrusive<ThreadBackend>(world, group, group_rank, state));
  }
}

// An autograd node that runs after everything else queued on this thread: the engine runs lower sequence numbers last.
struct LastToRun final : torch::autograd::Node {
  LastToRun() : Node(/*sequence_nr=*/0) { add_input_metadata(at::zeros({})); }
  torch::autograd::variable_list apply(torch::autograd::variable_list&&) override { return {}; }
};

// Drains the nodes that a failed backward left in this thread's queue. Else the next world's backward would free them, and the
// tensors that they saved would report to a rank that no longer exists.
void let_go_of_failed_backward() {
  torch::autograd::Engine::get_default_engine().execute({{std::make_shared<LastToRun>(), 0}}, {at::zeros({})},
                                                        /*keep_graph=*/false, /*create_graph=*/false, /*accumulate_grad=*/true);
}

void run_rank(const std::shared_ptr<ThreadWorld>& world, RankState& state, const std::function<void(RankState&)>& body) {
  pthread_setname_np(pthread_self(), fmt::format("rank {}", state.rank).c_str());
  at::set_num_threads(1);
  const RankScope scope(state);
  const RankStream stream(state.device);
  RegisteredGroups groups;
  register_groups(world, state, groups);
  std::optional<WorldResult> thrown = run_body(body, state);
  if (thrown) let_go_of_failed_backward();
  FlightSlot place = place_of(state);
  place.finished = !thrown;
  if (place.finished && state.flight()) state.flight()->finished(state.rank);
  world->end(state.rank, place, std::move(thrown));
}

}  // namespace

WorldResult run_thread_world(const Mesh& mesh, const WorldOptions& options, const std::function<void(RankState&)>& body) {
  assert(!find_rank() && "a world is not started from inside a rank");
  // Give each rank thread its own c10d group registry.
  c10d::set_thread_isolation_mode(true);
  const auto world = std::make_shared<ThreadWorld>(mesh, device_of_rank(options, 0));
  std::vector<std::unique_ptr<RankState>> states;
  for (int rank = 0; rank < world_size(mesh); ++rank)
    states.push_back(std::make_unique<RankState>(rank, mesh, options.flight, options.fault, device_of_rank(options, rank)));
  run_on_rank_threads(
      static_cast<int>(states.size()), [&](int rank) { run_rank(world, *states[static_cast<std::size_t>(rank)], body); },
      [&](int rank, const std::system_error& error) {  // running ranks must not wait for this one forever
        const RankState& state = *states[static_cast<std::size_t>(rank)];
        world->end(rank, place_of(state),
                   thrown_by(state, Ending::failed, fmt::format("could not start a thread: {}", error.what())));
      });
  return world->result();
}

}  // namespace ordercheck::ranks
