// Says how the processes of a world find each other.
#pragma once

#include <functional>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace ordercheck::ranks {

struct MeetingPlace {
  // Returns the store through which a group's ranks exchange addresses. `group` is unique in the world.
  std::function<c10::intrusive_ptr<c10d::Store>(const std::string& group, int size)> store_of;
  std::string address;                // at which ranks on other machines reach this one: "127.0.0.1"
  std::string interface = "";         // network interface to use instead of the address; empty if unset
  std::function<void()> met = [] {};  // called on each rank once all have connected
};

}  // namespace ordercheck::ranks
