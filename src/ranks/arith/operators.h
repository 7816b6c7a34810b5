// The table of operators: which have exact kernels, which only move numbers or round each by itself and need none, and which
// are refused by name. One table for all engines, ordercheck_pytorch/program/exact/operators.tsv; it is part of the program.
#pragma once

#include <map>
#include <set>
#include <string>

namespace ordercheck::ranks {

// Why an operator is refused that no row names.
inline constexpr const char* kSumsInside = "sums inside and has no exact kernel";

struct OperatorTable {
  std::set<std::string> exact;                 // as a kernel is registered: "mm", "mm.out"
  std::set<std::string> exact_on_gpus;         // the same, at the key of GPUs alone: a CPU composes them of others
  std::set<std::string> kept;                  // all overloads of an operator: "view"
  std::map<std::string, std::string> refused;  // all overloads, and why: "draws random numbers, ..."
  std::set<std::string> refused_complex;       // all overloads, of complex numbers alone
};

// Read once; throws where a row has not the columns of the table.
const OperatorTable& operator_table();

}  // namespace ordercheck::ranks
