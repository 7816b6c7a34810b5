#include "native/world/process_world.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>

#include "native/world/process_backend.h"
#include "native/world/rank_groups.h"
#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string bytes_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  return {static_cast<const char*>(whole.const_data_ptr()), whole.nbytes()};
}

rlim_t bytes_mapped() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
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

// Which backend is made, and where tensors lie, is the caller's to say.
TEST(ProcessWorld, TakesTheBackendAndTheDevicesThatItIsHanded) {
  WorldOptions options;
  options.devices.assign(2, at::Device(at::kMeta));
  options.make_backend = [](const RankGroup& group, const c10::intrusive_ptr<c10d::Store>&, RankState& rank,
                            Waiting&) -> c10::intrusive_ptr<ProcessBackend> {
    throw std::runtime_error(group.name + " on " + rank.device.str());
  };
  std::vector<std::string> answers;
  const WorldResult result =
      run_process_world(mesh_with({{"tp", 2}}), options, [](RankState&) { return std::string("reached"); }, answers);
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, HasSubstr(" on meta"));
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
    if (rank.rank == 3) return "";  // it needs no one
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
  EXPECT_THAT(result.failure->ranks,
              ElementsAre("rank 0: optimizer, in all_reduce #0 on tp, float64 [2]", StartsWith("rank 1: optimizer"),
                          "rank 2: optimizer, in all_reduce #0 on tp, float64 [2]", "rank 3: finished"));
}

// What a machine without memory for one rank more does. The others must not take their share of the blame.
TEST(ProcessWorld, ARankThatRunsOutOfMemoryIsNamedWithWhereTheOthersWere) {
  std::vector<std::string> answers;
  const auto body = [](RankState& rank) -> std::string {
    if (rank.rank == 1) {
      const rlimit little{bytes_mapped() + (16u << 20), bytes_mapped() + (16u << 20)};
      setrlimit(RLIMIT_AS, &little);
    }
    const at::Tensor large = at::ones({std::int64_t{1} << 23}, at::kDouble);
    return bytes_of(all_reduce(large, "tp", Reduction::sum)).substr(0, 8);
  };
  const WorldResult result = run_process_world(mesh_with({{"tp", 3}}), {}, body, answers);
  EXPECT_EQ(result.ending, Ending::failed);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->rank, 1);
  EXPECT_THAT(result.failure->message, HasSubstr("allocate memory"));
  EXPECT_THAT(result.failure->ranks, ElementsAre(HasSubstr("in all_reduce #0 on tp"), StartsWith("rank 1: build"),
                                                 HasSubstr("in all_reduce #0 on tp")));
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
