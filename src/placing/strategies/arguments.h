// Constants among the arguments of a node, read from their text. Absent where the argument is missing or reads otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placing/graph/joint_graph.h"

namespace ordercheck::placing {

// Whole numbers only: "-1", and "1" for the float 1.
std::optional<std::int64_t> int_argument(const JointNode& node, std::size_t at);
std::optional<std::vector<std::int64_t>> ints_argument(const JointNode& node, std::size_t at);  // "[2, -1]"
std::optional<bool> bool_argument(const JointNode& node, std::size_t at);                       // "True"

// A dim counted from the back, from the front. Absent where the tensor has no such dim.
std::optional<int> dim_of(std::optional<std::int64_t> dim, std::size_t rank);

}  // namespace ordercheck::placing
