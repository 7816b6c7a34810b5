// What one operator costs on one device, by the shapes that it is handed there.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "placing/cost/machine.h"
#include "placing/graph/placement.h"

namespace ordercheck::placing {

// It shares its operand's memory, or is the graph's own.
bool is_free(const std::string& op);

// Multiplications and additions of the products in an operator; 0 for what only moves or maps elements.
double product_flops(const std::string& op, const std::vector<Shape>& operands);

// In microseconds: the longer of its traffic with memory, `bytes` read and written, and of its products; at least a launch. An error
// where the machine states no speed for products of elements of that size.
Result<double> kernel_us(const std::string& op, const std::vector<Shape>& operands, double bytes, int element_bytes,
                         const Machine& machine);

}  // namespace ordercheck::placing
