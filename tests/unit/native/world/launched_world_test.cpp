// Ranks that this test forks in place of a launcher: the world runs what a world of threads runs, and tells how it ended.
#include "native/world/launched_world.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "native/world/temporary_folder.h"
#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// Nobody has it now; who takes it until the store does is not to be known, and the store would say so.
int free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(socket.number(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
    throw std::system_error(errno, std::generic_category(), "no port is free");
  return ntohs(address.sin_port);
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Of rank 0, and of the rank that it forks.
pid_t store_process = 0;

// What the processes of a launch do; each ends with what it returns as its exit code.
struct Launch {
  int ranks = 2;
  int seconds = 60;
  std::function<std::string(int rank)> program = [](int) { return "one program"; };
  std::function<void(LaunchedWorld& world, std::ostream& told)> does;
};

// What each of them told: by rank, and its exit code behind it.
std::vector<std::string> launched(const Launch& launch) {
  const TemporaryFolder folder;
  const StoreAddress master{.host = "127.0.0.1", .port = free_port()};
  const auto file = [&](int rank) { return folder.path() + "/" + std::to_string(rank); };
  std::vector<pid_t> processes;
  for (int rank = 0; rank < launch.ranks; ++rank) {
    const pid_t process = fork();
    if (process == 0) {
      std::ofstream told(file(rank));
      try {
        std::unique_ptr<StoreServer> server;
        if (rank == 0) server = std::make_unique<StoreServer>(master);
        if (server) store_process = server->process();
        LaunchedWorld world(rank, launch.ranks, master, std::chrono::seconds(launch.seconds), launch.program(rank));
        launch.does(world, told);
        told.flush();
        if (!world.is_over()) world.part();
      } catch (const std::exception& error) {
        told << "thrown: " << error.what();
      }
      told.close();
      std::_Exit(0);
    }
    processes.push_back(process);
  }
  for (const pid_t process : processes)
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  std::vector<std::string> told;
  for (int rank = 0; rank < launch.ranks; ++rank) told.push_back(text_of(file(rank)));
  return told;
}

std::string sum_of_ranks(RankState& rank) {
  const at::Tensor sum = all_reduce(at::full({}, rank.rank + 1, at::kDouble), "tp", Reduction::sum);
  return std::to_string(rank.rank) + ":" + std::to_string(sum.item<double>());
}

void tell(const WorldResult& result, const std::vector<std::string>& answers, std::ostream& told) {
  told << name_of(result.ending);
  for (const std::string& answer : answers) told << " " << answer;
  if (result.failure) {
    told << "; " << result.failure->message << "; rank " << result.failure->rank << " in " << result.failure->operation;
    for (const std::string& where : result.failure->ranks) told << "; " << where;
  }
  told << "\n";
}

// One run on as many ranks as there are.
Launch one_run(int ranks, const std::function<std::string(RankState&)>& body) {
  return {.ranks = ranks, .does = [ranks, body](LaunchedWorld& world, std::ostream& told) {
            std::vector<std::string> answers;
            tell(world.run(mesh_with({{"tp", ranks}}), {}, body, answers), answers, told);
          }};
}

TEST(LaunchedWorld, Rank0HasEveryRanksAnswer) {
  const auto told = launched(one_run(3, sum_of_ranks));
  EXPECT_EQ(told[0], "completed 0:6.000000 1:6.000000 2:6.000000\n");
  EXPECT_THAT(told[1], HasSubstr("rank 0 tells how it ended"));
}

TEST(LaunchedWorld, FewerRanksThanThereAreLeaveTheOthersIdle) {
  Launch launch{.ranks = 3, .does = [](LaunchedWorld& world, std::ostream& told) {
                  for (int ranks : {2, 1, 3}) {
                    std::vector<std::string> answers;
                    const auto body = [&](RankState& rank) {
                      return ranks == 1 ? std::to_string(rank.rank) : sum_of_ranks(rank);
                    };
                    tell(world.run(mesh_with({{"tp", ranks}}), {}, body, answers), answers, told);
                  }
                }};
  EXPECT_EQ(launched(launch)[0], "completed 0:3.000000 1:3.000000\ncompleted 0\ncompleted 0:6.000000 1:6.000000 2:6.000000\n");
}

TEST(LaunchedWorld, LongAnswersComeWhole) {
  const auto told = launched(one_run(2, [](RankState&) { return std::string(9u << 20, 'x'); }));
  EXPECT_EQ(told[0].size(), std::string("completed").size() + 2 * (1 + (std::size_t{9} << 20)) + 1);
}

TEST(LaunchedWorld, ARankThatThrowsIsNamedWithWhereTheOthersWere) {
  const auto told = launched(one_run(3, [](RankState& rank) {
    rank.set_phase(1, Phase::forward);
    if (rank.rank == 1) throw std::runtime_error("no more");
    return sum_of_ranks(rank);
  }));
  EXPECT_THAT(told[0], HasSubstr("failed; no more; rank 1"));
  EXPECT_THAT(told[0], HasSubstr("; rank 0: forward, in all_reduce #0 on tp, float64 []"));
  EXPECT_THAT(told[0], HasSubstr("; rank 2: forward, in all_reduce #0 on tp, float64 []"));
}

// As when c10d's store looks up the name of a rank that connects and no name server answers.
TEST(LaunchedWorld, AStoreThatIsHeldUpLosesNobody) {
  const auto told = launched(one_run(3, [](RankState& rank) {
    if (rank.rank == 0) {
      kill(store_process, SIGSTOP);
      std::this_thread::sleep_for(std::chrono::seconds(5));
      kill(store_process, SIGCONT);
    }
    if (rank.rank == 1) throw std::runtime_error("no more");
    return sum_of_ranks(rank);
  }));
  EXPECT_THAT(told[0], HasSubstr("failed; no more; rank 1"));
}

// A crash costs its run alone: the next one is run by the same world.
TEST(LaunchedWorld, ARankThatDiesEndsItsRunAndNotTheWorld) {
  Launch launch{.ranks = 2, .does = [](LaunchedWorld& world, std::ostream& told) {
                  for (const int by : {SIGSEGV, SIGKILL, 0}) {
                    std::vector<std::string> answers;
                    const auto body = [&](RankState& rank) {
                      if (rank.rank == 1 && by != 0) raise(by);
                      return sum_of_ranks(rank);
                    };
                    tell(world.run(mesh_with({{"tp", 2}}), {}, body, answers), answers, told);
                  }
                }};
  const std::string told = launched(launch)[0];
  EXPECT_EQ(told.find("died; the rank's process was killed by signal 11"), 0u) << told;
  EXPECT_THAT(told, HasSubstr("\nkilled; the rank's process was killed by signal 9 (Killed); rank 1"));
  EXPECT_THAT(told, HasSubstr("rank 0: build, in all_reduce #0 on tp"));
  EXPECT_THAT(told, HasSubstr("\ncompleted 0:3.000000 1:3.000000\n"));
}

// Of ranks that died the lowest is blamed: one must not die because another is gone.
TEST(LaunchedWorld, ARankThatWritesToOneThatIsGoneDoesNotDie) {
  const auto told = launched(one_run(2, [](RankState& rank) {
    raise(SIGPIPE);
    return sum_of_ranks(rank);
  }));
  EXPECT_EQ(told[0], "completed 0:3.000000 1:3.000000\n");
}

TEST(LaunchedWorld, RanksThatWaitForEverEndWithTheTime) {
  Launch launch = one_run(2, [](RankState& rank) { return rank.rank == 1 ? std::to_string(pause()) : sum_of_ranks(rank); });
  launch.seconds = 20;  // on a loaded machine a rank takes seconds to start
  const auto told = launched(launch);
  EXPECT_THAT(told[0], HasSubstr("timed_out; the time was up"));
  EXPECT_THAT(told[0], HasSubstr("; rank 1 in ;"));
  EXPECT_THAT(told[1], HasSubstr("rank 0 tells how it ended"));
}

// Killed with what looks after it: nobody is left to tell.
TEST(LaunchedWorld, ARankThatIsGoneWithItsProcessIsLost) {
  Launch launch = one_run(3, [](RankState& rank) {
    if (rank.rank == 2) kill(getppid(), SIGKILL);
    return sum_of_ranks(rank);
  });
  const auto told = launched(launch);
  EXPECT_THAT(told[0], HasSubstr("killed; rank 2 has not been heard of for 3 s"));
  // By rank 0, or by its end, which takes the store along.
  EXPECT_THAT(told[1], AnyOf(HasSubstr("thrown: rank 0 ended the world: a rank was lost"), HasSubstr("thrown: Failed to recv"),
                             HasSubstr("thrown: Connection reset by peer"), HasSubstr("thrown: Broken pipe")));
}

TEST(LaunchedWorld, WithoutRank0TheOthersEnd) {
  Launch launch = one_run(2, [](RankState& rank) {
    if (rank.rank == 0) kill(getppid(), SIGKILL);
    return sum_of_ranks(rank);
  });
  EXPECT_THAT(launched(launch)[1], HasSubstr("thrown: "));
}

TEST(LaunchedWorld, OtherProgramsAreRefused) {
  Launch launch = one_run(2, sum_of_ranks);
  launch.program = [](int rank) { return rank == 0 ? "libtorch 2.11.0" : "libtorch 2.15.0"; };
  for (const std::string& told : launched(launch))
    EXPECT_EQ(told, "thrown: rank 1 runs 'libtorch 2.15.0', and rank 0 'libtorch 2.11.0'; start the same program on all hosts");
}

TEST(LaunchedWorld, APortThatIsTakenIsToldSo) {
  const Descriptor socket(::socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  socklen_t length = sizeof address;
  if (bind(socket.number(), reinterpret_cast<sockaddr*>(&address), length) != 0) GTEST_SKIP() << "this machine has no IPv6";
  ASSERT_EQ(listen(socket.number(), 1), 0);
  ASSERT_EQ(getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  EXPECT_THROW(StoreServer({.host = "127.0.0.1", .port = ntohs(address.sin6_port)}), std::runtime_error);
}

}  // namespace
}  // namespace ordercheck::ranks
