#include "placing/cost/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace ordercheck::placing {

Machine h100(const DeviceMesh& mesh) {
  return {.name = "one H100 a rank, NVLink between all",
          .flops_per_us = {{2, 989e6}, {4, 67e6}, {8, 67e6}},
          .memory_bytes_per_us = 3.35e6,
          .links = std::vector(mesh.size(), Link{.bytes_per_us = 450e3, .latency_us = 5})};
}

Status check_machine(const Machine& machine, const DeviceMesh& mesh) {
  if (machine.links.size() != mesh.size())
    return Error{fmt::format("the machine states {} links for a mesh of {} axes; expected one an axis", machine.links.size(),
                             mesh.size())};
  const bool links_are_sound =
      std::ranges::all_of(machine.links, [](const Link& link) { return link.bytes_per_us > 0 && link.latency_us >= 0; });
  const bool peaks_are_sound = std::ranges::all_of(machine.flops_per_us, [](const auto& peak) { return peak.second > 0; });
  if (!links_are_sound || !peaks_are_sound || !(machine.memory_bytes_per_us > 0) || !(machine.reachable > 0) ||
      machine.launch_us < 0)
    return Error{"the machine states a speed that is not above zero, or a latency below it"};
  return Done{};
}

}  // namespace ordercheck::placing
