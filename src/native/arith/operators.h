// Reads the operator table: exact operators, operators that need no exact kernel (they move numbers or round each by itself),
// and refused ones. All engines share ordercheck_pytorch/program/exact/operators.tsv, which is embedded in the program.
#pragma once

#include <map>
#include <set>
#include <string>

namespace ordercheck::ranks {

// The reason for refusing an operator that no row names.
inline constexpr const char* kSumsInside = "sums inside and has no exact kernel";

struct OperatorTable {
  std::set<std::string> exact;                 // registration names: "mm", "mm.out"
  std::set<std::string> exact_on_gpus;         // exact on GPUs only: on a CPU, ATen composes them of other operators
  std::set<std::string> kept;                  // all overloads of an operator: "view"
  std::map<std::string, std::string> refused;  // all overloads, with the reason: "draws random numbers, ..."
  std::set<std::string> refused_complex;       // all overloads, for complex numbers only
};

// Reads the table once; throws if a row does not have five columns.
const OperatorTable& operator_table();

}  // namespace ordercheck::ranks
