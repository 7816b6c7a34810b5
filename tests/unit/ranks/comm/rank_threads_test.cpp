#include "ranks/comm/rank_threads.h"

#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

std::vector<std::thread::id> threads_of(int count) {
  std::vector<std::thread::id> ids(count);
  run_on_rank_threads(
      count, [&](int rank) { ids[rank] = std::this_thread::get_id(); },
      [](int rank, const std::system_error& error) { ADD_FAILURE() << rank << ": " << error.what(); });
  return ids;
}

TEST(RankThreads, AreOneARankAndTheSameAgain) {
  const auto first = threads_of(3), again = threads_of(5);
  EXPECT_EQ(std::set(again.begin(), again.end()).size(), 5u);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), again.begin()));
  EXPECT_EQ(threads_of(1).front(), first.front());
}

TEST(RankThreads, RunAllAtOnce) {
  std::barrier all(4);
  run_on_rank_threads(4, [&](int) { all.arrive_and_wait(); }, [](int, const std::system_error&) { FAIL(); });
}

// A fork has the memory of threads, and not the threads.
TEST(RankThreads, AreStartedAnewInAFork) {
  threads_of(2);
  const pid_t child = fork();
  if (child == 0) _exit(threads_of(2).size() == 2 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ordercheck::ranks
