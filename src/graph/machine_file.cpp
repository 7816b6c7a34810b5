#include "graph/machine_file.h"

#include <fmt/format.h>

#include "base/toml.h"

namespace ordercheck::placing {
namespace {

constexpr double kGiga = 1e3, kTera = 1e6;  // bytes or operations a microsecond
constexpr double kMost = 1e9;               // of any of these numbers

Link read_link(TomlTable& table, Link link) {
  if (const auto speed = table.decimal_if_given("gb_per_s", kMost)) link.bytes_per_us = *speed * kGiga;
  if (const auto latency = table.decimal_if_given("latency_us", kMost, true)) link.latency_us = *latency;
  return link;
}

}  // namespace

Result<Machine> read_machine(std::string_view text, const std::string& path, const DeviceMesh& mesh) {
  TomlTable file(text, path);
  Machine machine = h100(mesh);
  machine.name = file.text("name");
  if (const auto speed = file.decimal_if_given("memory_gb_per_s", kMost)) machine.memory_bytes_per_us = *speed * kGiga;
  if (const auto launch = file.decimal_if_given("launch_us", kMost, true)) machine.launch_us = *launch;
  if (const auto share = file.decimal_if_given("reachable_percent", 100)) machine.reachable = *share / 100.0;
  if (file.has("tflop_per_s")) {
    TomlTable products = file.table("tflop_per_s");
    for (const int bytes : {1, 2, 4, 8})
      if (const auto speed = products.decimal_if_given(fmt::format("{}_bytes", bytes), kMost))
        machine.flops_per_us[bytes] = *speed * kTera;
    file.adopt(products);
  }
  if (file.has("link")) {
    TomlTable any = file.table("link");
    const Link usual = read_link(any, machine.links.empty() ? Link{} : machine.links.front());
    for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
      machine.links[axis] = usual;
      if (!any.has(mesh[axis].name)) continue;
      TomlTable own = any.table(mesh[axis].name);
      machine.links[axis] = read_link(own, usual);
      any.adopt(own);
    }
    file.adopt(any);
  }
  if (const auto error = file.error()) return *error;
  return machine;
}

}  // namespace ordercheck::placing
