// Reads the rank and world that a launcher passes in the environment: torchrun, Open MPI's mpirun, MPICH's mpiexec or Slurm's
// srun.
//
// From each launcher's documentation or code:
//   torchrun       RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT; TORCHELASTIC_USE_AGENT_STORE is "True" if torchrun's
//                  agent serves the store at MASTER_PORT, else rank 0 does (torch/distributed/rendezvous.py)
//   Open MPI       OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE; no master
//   MPICH (Hydra)  PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS; no master
//   Slurm          SLURM_PROCID, SLURM_STEP_NUM_TASKS or SLURM_NTASKS, SLURM_LOCALID, SLURM_STEP_NODELIST, SLURM_JOB_ID.
//                  The master is the first host of the step, which runs rank 0. SLURM_LAUNCH_NODE_IPADDR is the host that
//                  called srun, a login node under salloc.
// MASTER_ADDR and MASTER_PORT name the master under every launcher.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/enum.h"
#include "base/result.h"

namespace ordercheck::ranks {

ORDERCHECK_ENUM(Launcher, torchrun, mpirun, mpiexec, srun)

struct LaunchEnvironment {
  Launcher launcher = Launcher::torchrun;
  int rank = 0;
  int size = 1;
  int local_rank = 0;       // index of this rank among those on its host
  std::string master_host;  // the host of rank 0, or of the agent that serves the store
  int master_port = 0;
  bool agent_serves = false;  // the launcher serves the store instead of rank 0
  friend bool operator==(const LaunchEnvironment&, const LaunchEnvironment&) = default;
};

// Looks up an environment variable; nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Returns the rank and world that the innermost launcher set, in the order of Launcher: mpirun inside a Slurm job leaves
// Slurm's variables to its ranks. An error is one line with the variable, the expected and the actual value, and what to do.
Result<LaunchEnvironment> launch_environment(const Environment& variable);

// Returns the first host of a Slurm node list: "node01" for "node[01-04,07],gpu3".
std::string first_host(const std::string& node_list);

}  // namespace ordercheck::ranks
