// How the processes of a world find each other.
#pragma once

#include <functional>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace ordercheck::ranks {

struct MeetingPlace {
  // The store through which the ranks of one group exchange addresses: `group` is a name that no other group of the world has.
  std::function<c10::intrusive_ptr<c10d::Store>(const std::string& group, int size)> store_of;
  std::string address;                // of this machine, which the others reach it at: "127.0.0.1"
  std::string interface = "";         // of the network, to be taken in place of the address; "" for none
  std::function<void()> met = [] {};  // called by each rank once all have found each other
};

}  // namespace ordercheck::ranks
