// What a launcher tells the ranks that it starts: torchrun, Open MPI's mpirun, MPICH's mpiexec and Slurm's srun, by the environment.
//
// Facts, of each launcher's own documentation or code:
//   torchrun       RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT; TORCHELASTIC_USE_AGENT_STORE is "True" where torchrun's
//                  agent serves the store at MASTER_PORT, else rank 0 does (torch/distributed/rendezvous.py)
//   Open MPI       OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE; no master
//   MPICH (Hydra)  PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS; no master
//   Slurm          SLURM_PROCID, SLURM_STEP_NUM_TASKS or SLURM_NTASKS, SLURM_LOCALID, SLURM_STEP_NODELIST, SLURM_JOB_ID. The master is the
//                  first host of the step, where rank 0 is; SLURM_LAUNCH_NODE_IPADDR is where srun was called, which under salloc is a login node
// MASTER_ADDR and MASTER_PORT say where the master is under every launcher.
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
  int local_rank = 0;       // among the ranks of its host
  std::string master_host;  // where rank 0 is, or the agent that serves for it
  int master_port = 0;
  bool agent_serves = false;  // the launcher serves the store, and no rank does
  friend bool operator==(const LaunchEnvironment&, const LaunchEnvironment&) = default;
};

// The value of a variable; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The innermost launcher's, in the order of Launcher: mpirun within a Slurm job leaves Slurm's variables to its ranks. An error is one line:
// which variable, what was expected, what it is, and what to do.
Result<LaunchEnvironment> launch_environment(const Environment& variable);

// "node01" of "node[01-04,07],gpu3".
std::string first_host(const std::string& node_list);

}  // namespace ordercheck::ranks
