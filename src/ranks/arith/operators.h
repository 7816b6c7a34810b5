// The table of operators: which have exact kernels, which only move numbers or round each by itself, and need none. One
// table for all engines: src/drivers/pytorch/ordercheck_pytorch/program/exact/operators.tsv, part of the program.
#pragma once

#include <set>
#include <string>

namespace ordercheck::ranks {

struct OperatorTable {
  std::set<std::string> exact;     // with overload, as a kernel is registered: "mm", "mm.out"
  std::set<std::string> harmless;  // classes move and stable
};

// Read once; throws where a row has not the columns of the table.
const OperatorTable& operator_table();

}  // namespace ordercheck::ranks
