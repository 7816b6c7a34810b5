#include "ranks/comm/process_world.h"

#include <unistd.h>

#include <cstring>
#include <set>

#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

std::string bytes_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  return {static_cast<const char*>(whole.const_data_ptr()), whole.nbytes()};
}

TEST(ProcessWorld, RunsEachRankInAProcessOfItsOwn) {
  std::vector<std::string> answers;
  const WorldResult result = run_process_world(
      mesh_with({{"tp", 2}, {"dp_shard", 2}}), {},
      [](RankState& rank) { return std::to_string(rank.rank) + " " + std::to_string(getpid()); }, answers);
  EXPECT_EQ(result.ending, Ending::completed);
  std::set<std::string> all(answers.begin(), answers.end());
  EXPECT_EQ(all.size(), 4u);
  for (int rank = 0; rank < 4; ++rank) EXPECT_TRUE(answers[rank].starts_with(std::to_string(rank) + " ")) << answers[rank];
  EXPECT_FALSE(all.contains("0 " + std::to_string(getpid())));
}

// What a rank of threads gets, to the bit: each collective on each group of a mesh.
TEST(ProcessWorld, ItsCollectivesGiveWhatThoseOfThreadsGive) {
  const Mesh mesh = mesh_with({{"dp_shard", 2}, {"tp", 2}});
  const auto body = [](RankState& rank) {
    std::string seen;
    for (const char* group : {"tp", "dp_shard", "world"}) {
      const at::Tensor x = at::arange(8, at::kDouble).reshape({4, 2}).add(rank.rank * 16);
      seen += bytes_of(all_reduce(x, group, Reduction::sum)) + bytes_of(all_reduce(x, group, Reduction::max));
      seen += bytes_of(all_gather(x, 0, group)) + bytes_of(reduce_scatter(x, 0, group));
    }
    return seen;
  };
  std::vector<std::string> of_processes, of_threads(4);
  ASSERT_EQ(run_process_world(mesh, {}, body, of_processes).ending, Ending::completed);
  complete(mesh, [&](RankState& rank) { of_threads[rank.rank] = body(rank); });
  EXPECT_EQ(of_processes, of_threads);
}

TEST(ProcessWorld, NamesTheRankThatThrewAndNotThoseThatWaitForIt) {
  std::vector<std::string> answers;
  const auto body = [](RankState& rank) -> std::string {
    rank.set_phase(2, Phase::optimizer);
    if (rank.rank == 1) throw std::runtime_error("no more");
    all_reduce(at::ones({2}, at::kDouble), "tp", Reduction::sum);
    return "";
  };
  const WorldResult result = run_process_world(mesh_with({{"tp", 4}}), {}, body, answers);
  EXPECT_EQ(result.ending, Ending::failed);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->rank, 1);
  EXPECT_EQ(result.failure->phase, Phase::optimizer);
  EXPECT_THAT(result.failure->message, HasSubstr("no more"));
  EXPECT_TRUE(answers.empty());
}

TEST(ProcessWorld, OfSeveralThatThrewTellsTheLowestOfTheEarliestStep) {
  std::vector<std::string> answers;
  const auto body = [](RankState& rank) -> std::string {
    rank.set_phase(rank.rank == 0 ? 5 : 3, Phase::forward);
    throw std::runtime_error("rank " + std::to_string(rank.rank));
  };
  const WorldResult result = run_process_world(mesh_with({{"tp", 3}}), {}, body, answers);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->rank, 1) << result.failure->message;
}

}  // namespace
}  // namespace ordercheck::ranks
