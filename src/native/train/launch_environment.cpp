#include "native/train/launch_environment.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "record/schema.h"

namespace ordercheck::ranks {
namespace {

constexpr int kMostRanksLaunched = 1 << 16;
constexpr int kUsualPort = 29500;  // c10d's default
constexpr int kFirstJobPort = 15000, kJobPorts = 10000;

// The names of one launcher's environment variables; "" for a variable that it does not set.
struct Names {
  Launcher launcher;
  const char *rank, *size, *local_rank, *local_size;
};
constexpr Names kNames[] = {
    {Launcher::torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {Launcher::mpirun, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {Launcher::mpiexec, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {Launcher::srun, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""},
};

class Reader {
 public:
  explicit Reader(const Environment& variable) : variable_(variable) {}

  std::optional<std::string> text(const std::string& name) const {
    auto value = name.empty() ? std::nullopt : variable_(name);
    return value && value->empty() ? std::nullopt : value;
  }

  Result<int> number(const std::string& name, int least, int most, const Names& names) const {
    const auto value = text(name);
    if (!value)
      return Error{
          fmt::format("{}: expected a number, as {} sets it, but it is not set; {} is set, so either both are or neither", name,
                      name_of(names.launcher), name == names.rank ? names.size : names.rank)};
    const auto parsed = parse_integer(*value);
    if (!parsed || *parsed < least || *parsed > most)
      return Error{fmt::format("{}: expected a number from {} to {}, got {}; {} sets it, so leave it as it is", name, least,
                               most, excerpt(*value), name_of(names.launcher))};
    return static_cast<int>(*parsed);
  }

 private:
  const Environment& variable_;
};

// SLURM_NTASKS counts the tasks of the job, and its steps may have fewer, so prefer the variable of the step.
Names names_in(const Reader& read, Names names) {
  if (names.launcher == Launcher::srun && !read.text(names.size)) names.size = "SLURM_NTASKS";
  return names;
}

// True if two launchers' variables give the same rank and size: some clusters' srun sets PMI variables too.
bool are_alike(const Reader& read, const Names& one, const Names& other) {
  return read.text(one.rank) == read.text(other.rank) && read.text(one.size) == read.text(other.size);
}

std::optional<Names> innermost(const Reader& read) {
  for (const Names& one : kNames) {
    const Names names = names_in(read, one);
    if (names.launcher == Launcher::mpiexec && read.text("SLURM_STEP_ID") && are_alike(read, names, names_in(read, kNames[3])))
      continue;
    // Accept a lone PMI_RANK or RANK, so that the mistake is reported. A Slurm job without a step may set one without having
    // started ranks.
    const bool both = read.text(names.rank) && read.text(names.size);
    if (names.launcher == Launcher::srun ? both : read.text(names.rank) || read.text(names.size)) return names;
  }
  return std::nullopt;
}

Result<LaunchEnvironment> seat(const Reader& read, const Names& names) {
  const auto size = read.number(names.size, 1, kMostRanksLaunched, names);
  if (!size) return size.error();
  const auto rank = read.number(names.rank, 0, *size - 1, names);
  if (!rank) return rank.error();
  LaunchEnvironment found{.launcher = names.launcher, .rank = *rank, .size = *size};
  if (!read.text(names.local_rank)) return found;
  const auto local = read.number(names.local_rank, 0, *rank, names);
  if (!local) return local.error();
  found.local_rank = *local;
  return found;
}

// Returns an error if RANK and WORLD_SIZE were set by hand and contradict the launcher: two processes would claim one rank.
Status check_agreement(const Reader& read, const LaunchEnvironment& found) {
  if (found.launcher != Launcher::torchrun || read.text("TORCHELASTIC_RUN_ID")) return Done{};
  for (const Names& one : kNames) {
    const Names names = names_in(read, one);
    if (names.launcher == Launcher::torchrun || !read.text(names.rank) || !read.text(names.size)) continue;
    if (names.launcher == Launcher::srun && !read.text("SLURM_STEP_ID")) continue;
    const auto rank = read.number(names.rank, 0, kMostRanksLaunched, names),
               size = read.number(names.size, 1, kMostRanksLaunched, names);
    if (!rank) return rank.error();
    if (!size) return size.error();
    if (*rank != found.rank || *size != found.size)
      return Error{
          fmt::format("RANK and WORLD_SIZE: expected the values of {} and {}, {} of {}, got {} of {}; unset the wrong ones",
                      names.rank, names.size, *rank, *size, found.rank, found.size)};
  }
  return Done{};
}

Result<std::string> master_host(const Reader& read, const Names& names, const LaunchEnvironment& found) {
  if (const auto host = read.text("MASTER_ADDR")) return *host;
  if (names.launcher == Launcher::srun)
    for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"})
      if (const auto nodes = read.text(name)) return first_host(*nodes);
  const auto local_size = read.text(names.local_size);
  if (found.size == 1 || (local_size && *local_size == std::to_string(found.size))) return std::string("127.0.0.1");
  const char* how = names.launcher == Launcher::mpirun    ? "`mpirun -x MASTER_ADDR=HOST ...` does"
                    : names.launcher == Launcher::mpiexec ? "`mpiexec -genv MASTER_ADDR HOST ...` does"
                                                          : "set it for every rank";
  return Error{fmt::format(
      "MASTER_ADDR: expected the host of rank 0, which {} names nowhere for {} ranks on several hosts, but it is not set; {}",
      name_of(names.launcher), found.size, how)};
}

// Returns the master's default port. Under Slurm it depends on the job, because jobs on the same node need different ports.
int usual_port(const Reader& read, Launcher launcher) {
  const auto job = launcher == Launcher::srun ? read.text("SLURM_JOB_ID") : std::nullopt;
  const auto number = job ? parse_integer(*job) : std::nullopt;
  return number && *number >= 0 ? kFirstJobPort + static_cast<int>(*number % kJobPorts) : kUsualPort;
}

Result<int> master_port(const Reader& read, Launcher launcher) {
  const auto port = read.text("MASTER_PORT");
  if (!port) {
    if (launcher == Launcher::torchrun && read.text("TORCHELASTIC_RUN_ID"))
      return Error{
          "MASTER_PORT: expected a port, as torchrun sets it, but it is not set; leave torchrun's variables as they are"};
    return usual_port(read, launcher);
  }
  const auto number = parse_integer(*port);
  if (!number || *number < 1 || *number > std::numeric_limits<std::uint16_t>::max())
    return Error{fmt::format(
        "MASTER_PORT: expected a port from 1 to 65535, got {}; name one that is free on the host of rank 0", excerpt(*port))};
  return static_cast<int>(*number);
}

}  // namespace

std::string first_host(const std::string& node_list) {
  std::string host;
  bool in_brackets = false, past_first = false;
  for (const char c : node_list) {
    if (c == '[') {
      in_brackets = true, past_first = false;
    } else if (c == ']') {
      in_brackets = false;
    } else if (!in_brackets) {
      if (c == ',') break;
      host += c;
    } else if (c == ',' || c == '-') {
      past_first = true;
    } else if (!past_first) {
      host += c;
    }
  }
  return host;
}

Result<LaunchEnvironment> launch_environment(const Environment& variable) {
  const Reader read(variable);
  const auto names = innermost(read);
  if (!names)
    return Error{
        "--env: expected the variables of torchrun (RANK, WORLD_SIZE), mpirun (OMPI_COMM_WORLD_RANK), mpiexec (PMI_RANK) or "
        "srun "
        "(SLURM_PROCID), found none; start it through one of them: `torchrun --no-python --nproc-per-node 4 ordercheck-ranks "
        "--env ...`"};
  // A batch script has SLURM_PROCID=0 and the job's SLURM_NTASKS, but is a single process.
  if (names->launcher == Launcher::srun && !read.text("SLURM_STEP_ID"))
    return Error{
        "SLURM_STEP_ID: expected a step, as srun sets it, but it is not set: this is a job without one; write srun before the "
        "command"};
  auto found = seat(read, *names);
  if (!found) return found.error();
  if (const Status agrees = check_agreement(read, *found); !agrees) return agrees.error();
  const auto host = master_host(read, *names, *found);
  if (!host) return host.error();
  const auto port = master_port(read, names->launcher);
  if (!port) return port.error();
  LaunchEnvironment environment = *found;
  environment.master_host = *host;
  environment.master_port = *port;
  environment.agent_serves = names->launcher == Launcher::torchrun && read.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return environment;
}

}  // namespace ordercheck::ranks
