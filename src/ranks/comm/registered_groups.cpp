#include "ranks/comm/registered_groups.h"

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace ordercheck::ranks {

void RegisteredGroups::add(const std::string& name, int group_rank, int size, c10::DeviceType device,
                           const c10::intrusive_ptr<c10d::Backend>& backend) {
  // c10d wants a store of every group; ours never asks it for anything.
  auto group = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(), group_rank, size);
  group->setBackend(device, c10d::ProcessGroup::BackendType::CUSTOM, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName(name);
  c10d::register_process_group(name, group);
  groups_.push_back(group);  // the registry does not keep it alive
}

RegisteredGroups::~RegisteredGroups() {
  for (const auto& group : groups_) c10d::unregister_process_group(group->getGroupName());
}

}  // namespace ordercheck::ranks
