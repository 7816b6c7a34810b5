// Which process groups the ranks of a mesh have: what every world makes, whatever its ranks are.
#pragma once

#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "stack/mesh.h"

namespace ordercheck::ranks {

// Ranks that differ along one axis, or several, only.
struct RankGroup {
  std::string name;
  std::vector<int> ranks;  // of the world, ascending
};

// A group for every axis of degree > 1 and every set of them, named as group_name() does, for ep and edp where experts are
// distributed, and "world" when there is more than one rank. In an order that is the same on every rank: ranks that make
// their groups one after the other do not wait for each other crosswise.
std::vector<RankGroup> groups_of_ranks(const Mesh& mesh);

// The process groups of one rank in c10d's registry, where functional collectives look them up by name.

// Registered for the object's lifetime. The registry is one a thread where isolation is on, else one a process.
class RegisteredGroups {
 public:
  RegisteredGroups() = default;
  ~RegisteredGroups();
  RegisteredGroups(const RegisteredGroups&) = delete;

  // `backend` is for tensors of the device.
  void add(const std::string& name, int group_rank, int size, c10::DeviceType device,
           const c10::intrusive_ptr<c10d::Backend>& backend);

 private:
  std::vector<c10::intrusive_ptr<c10d::ProcessGroup>> groups_;
};

}  // namespace ordercheck::ranks
