#include "native/train/launch_environment.h"

#include <map>

#include <gmock/gmock.h>

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<LaunchEnvironment> read(const Variables& variables) {
  return launch_environment([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string error_of(const Variables& variables) {
  const auto read_ = read(variables);
  return read_ ? "" : read_.error().message;
}

Variables with(Variables variables, const Variables& others) {
  for (const auto& [name, value] : others) variables[name] = value;
  return variables;
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

// As torch 2.11 sets them for the third of four ranks, two a host.
const Variables kTorchrun{{"RANK", "2"},
                          {"LOCAL_RANK", "0"},
                          {"WORLD_SIZE", "4"},
                          {"LOCAL_WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "node01"},
                          {"MASTER_PORT", "29400"},
                          {"TORCHELASTIC_RUN_ID", "none"},
                          {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
const Variables kOpenMpi{{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
const Variables kHydra{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}};
// As srun's manual has them for the sixth of eight tasks of a step on two hosts.
const Variables kSlurm{{"SLURM_PROCID", "5"},
                       {"SLURM_NTASKS", "8"},
                       {"SLURM_STEP_NUM_TASKS", "8"},
                       {"SLURM_LOCALID", "1"},
                       {"SLURM_JOB_ID", "1234567"},
                       {"SLURM_STEP_ID", "0"},
                       {"SLURM_STEP_NODELIST", "gpu[07-08]"},
                       {"SLURM_JOB_NODELIST", "gpu[05-08]"},
                       {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.250"}};

TEST(LaunchEnvironment, OfTorchrunWhoseAgentServesTheStore) {
  const LaunchEnvironment expected{.launcher = Launcher::torchrun,
                                   .rank = 2,
                                   .size = 4,
                                   .local_rank = 0,
                                   .master_host = "node01",
                                   .master_port = 29400,
                                   .agent_serves = true};
  EXPECT_EQ(*read(kTorchrun), expected);
}

TEST(LaunchEnvironment, OfTorchrunWhoseRank0ServesTheStore) {
  EXPECT_FALSE(read(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}}))->agent_serves);
}

TEST(LaunchEnvironment, OfOpenMpiOnOneHostNeedsNoMaster) {
  const LaunchEnvironment expected{.launcher = Launcher::mpirun,
                                   .rank = 1,
                                   .size = 2,
                                   .local_rank = 1,
                                   .master_host = "127.0.0.1",
                                   .master_port = 29500,
                                   .agent_serves = false};
  EXPECT_EQ(*read(kOpenMpi), expected);
}

TEST(LaunchEnvironment, OfOpenMpiOnSeveralHostsSaysHowToNameTheMaster) {
  const Variables apart = with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
  EXPECT_THAT(error_of(apart), HasSubstr("MASTER_ADDR: expected the host of rank 0"));
  EXPECT_THAT(error_of(apart), HasSubstr("mpirun -x MASTER_ADDR=HOST"));
  EXPECT_EQ(read(with(apart, {{"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "4000"}}))->master_port, 4000);
}

TEST(LaunchEnvironment, OfMpich) {
  const auto found = read(kHydra);
  EXPECT_EQ(found->launcher, Launcher::mpiexec);
  EXPECT_EQ(found->rank, 1);
  EXPECT_EQ(found->local_rank, 1);
  EXPECT_EQ(found->master_host, "127.0.0.1");
}

TEST(LaunchEnvironment, OfSlurmTheMasterIsTheFirstHostOfTheStep) {
  const LaunchEnvironment expected{.launcher = Launcher::srun,
                                   .rank = 5,
                                   .size = 8,
                                   .local_rank = 1,
                                   .master_host = "gpu07",
                                   .master_port = 15000 + 4567,
                                   .agent_serves = false};
  EXPECT_EQ(*read(kSlurm), expected);
  EXPECT_EQ(read(without(kSlurm, "SLURM_STEP_NODELIST"))->master_host, "gpu05");
  EXPECT_EQ(read(without(kSlurm, "SLURM_STEP_NUM_TASKS"))->size, 8);
}

TEST(LaunchEnvironment, AJobWithoutAStepIsToldSo) {
  EXPECT_THAT(error_of(without(kSlurm, "SLURM_STEP_ID")), HasSubstr("write srun before the command"));
}

// mpirun within a job of Slurm: its ranks have Slurm's variables of the process that started them.
TEST(LaunchEnvironment, TheInnermostLauncherIsMeant) {
  EXPECT_EQ(read(with(kSlurm, kOpenMpi))->launcher, Launcher::mpirun);
  EXPECT_EQ(read(with(with(kSlurm, kOpenMpi), kTorchrun))->launcher, Launcher::torchrun);
}

TEST(LaunchEnvironment, SrunThatSpeaksPmiIsSrun) {
  EXPECT_EQ(read(with(kSlurm, {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}}))->launcher, Launcher::srun);
  EXPECT_EQ(read(with(kSlurm, kHydra))->launcher, Launcher::mpiexec);
}

TEST(LaunchEnvironment, RanksNumberedByHandAreThoseOfTheLauncher) {
  const Variables by_hand{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "10.0.0.1"}};
  EXPECT_TRUE(read(by_hand));
  EXPECT_THAT(
      error_of(with(by_hand, kOpenMpi)),
      HasSubstr(
          "RANK and WORLD_SIZE: expected the values of OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE, 1 of 2, got 0 of 2"));
  EXPECT_TRUE(read(with(with(by_hand, {{"RANK", "1"}}), kOpenMpi)));
}

TEST(LaunchEnvironment, NoLauncherAtAll) { EXPECT_THAT(error_of({}), HasSubstr("found none; start it through one of them")); }

TEST(LaunchEnvironment, WhatIsMissingIsNamed) {
  EXPECT_THAT(error_of(without(kTorchrun, "WORLD_SIZE")),
              HasSubstr("WORLD_SIZE: expected a number, as torchrun sets it, but it is not set"));
  EXPECT_THAT(error_of(without(kTorchrun, "RANK")), HasSubstr("RANK: expected a number"));
  EXPECT_THAT(error_of(without(kTorchrun, "MASTER_PORT")), HasSubstr("MASTER_PORT: expected a port"));
  EXPECT_THAT(error_of(without(kTorchrun, "MASTER_ADDR")), HasSubstr("MASTER_ADDR: expected the host of rank 0"));
}

TEST(LaunchEnvironment, WhatIsMalformedIsShown) {
  EXPECT_THAT(error_of(with(kTorchrun, {{"RANK", "two"}})), HasSubstr("RANK: expected a number from 0 to 3, got 'two'"));
  EXPECT_THAT(error_of(with(kTorchrun, {{"RANK", "4"}})), HasSubstr("RANK: expected a number from 0 to 3, got '4'"));
  EXPECT_THAT(error_of(with(kTorchrun, {{"WORLD_SIZE", "0"}})), HasSubstr("WORLD_SIZE: expected a number from 1"));
  EXPECT_THAT(error_of(with(kTorchrun, {{"LOCAL_RANK", "-1"}})),
              HasSubstr("LOCAL_RANK: expected a number from 0 to 2, got '-1'"));
  EXPECT_THAT(error_of(with(kTorchrun, {{"MASTER_PORT", "70000"}})),
              HasSubstr("MASTER_PORT: expected a port from 1 to 65535, got '70000'"));
}

TEST(LaunchEnvironment, TheFirstHostOfAListOfSlurms) {
  EXPECT_EQ(first_host("node01"), "node01");
  EXPECT_EQ(first_host("alpha,beta"), "alpha");
  EXPECT_EQ(first_host("node[01-04,07],gpu3"), "node01");
  EXPECT_EQ(first_host("rack[2,4]b[3-5].cluster"), "rack2b3.cluster");
  EXPECT_EQ(first_host("a[9]"), "a9");
}

}  // namespace
}  // namespace ordercheck::ranks
