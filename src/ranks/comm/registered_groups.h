// The process groups of one rank in c10d's registry, where functional collectives look them up by name.
#pragma once

#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace ordercheck::ranks {

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
