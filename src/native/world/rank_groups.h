// Lists the process groups of a mesh's ranks, for every kind of world, and registers them.
#pragma once

#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "stack/mesh.h"

namespace ordercheck::ranks {

// A process group: ranks whose mesh coordinates differ only along one axis, or along several.
struct RankGroup {
  std::string name;
  std::vector<int> ranks;  // world ranks, ascending
};

// Returns a group for every axis of degree > 1 and every set of such axes, named by group_name(). Adds ep and edp if experts
// are distributed, and "world" if there is more than one rank. The order is equal on every rank, so that ranks that create
// groups one by one do not deadlock.
std::vector<RankGroup> groups_of_ranks(const Mesh& mesh);

// Registers one rank's process groups with c10d, where functional collectives find them by name.

// Registers for its lifetime. The registry is per thread if thread isolation is on, else per process.
class RegisteredGroups {
 public:
  RegisteredGroups() = default;
  ~RegisteredGroups();
  RegisteredGroups(const RegisteredGroups&) = delete;

  // Registers the process group `name`; its collectives on tensors of `device` go to `backend`.
  void add(const std::string& name, int group_rank, int size, c10::DeviceType device,
           const c10::intrusive_ptr<c10d::Backend>& backend);

 private:
  std::vector<c10::intrusive_ptr<c10d::ProcessGroup>> groups_;
};

}  // namespace ordercheck::ranks
