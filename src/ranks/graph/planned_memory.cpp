#include "ranks/graph/planned_memory.h"

#include <ATen/ATen.h>

#include "ranks/arith/stock_operators.h"

namespace ordercheck::ranks {

at::Tensor PlannedMemory::placed(ValueId id, const at::Tensor& made) {
  const auto value = static_cast<std::size_t>(id);
  const int buffer = value < plan_.buffer.size() ? plan_.buffer[value] : -1;
  if (buffer == -1 || !made.is_non_overlapping_and_dense()) return made;
  // Code that a compiler makes writes there at once; a copy is none of the program's operators.
  const StockOperators unseen;
  at::Tensor& memory = memories_[static_cast<std::size_t>(buffer)];
  if (!memory.defined()) memory = at::empty({plan_.bytes[static_cast<std::size_t>(buffer)]}, made.options().dtype(at::kByte));
  at::Tensor there = at::empty({0}, made.options());
  there.set_(memory.storage(), 0, made.sizes(), made.strides());
  return there.copy_(made);
}

}  // namespace ordercheck::ranks
