// What a styled module says of its output is how pieces of traces are put together: where it is wrong, numbers are as they were, and
// the first wrong tensor is looked for in the wrong place.
#include "native/transform/parallel_style.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "native/module/placement.h"

namespace ordercheck::ranks {
namespace {

class HandsOn final : public ModuleOf<HandsOn> {
 public:
  HandsOn() : ModuleOf("HandsOn") {}

 protected:
  at::Tensor forward(const Tensors& inputs) override { return inputs[0]; }
};

TEST(ParallelStyle, OutputsOfOwnHeadsAreCutBetweenHeads) {
  Mesh mesh;
  mesh.degrees = {1, 1, 1, 1, 2};
  const at::Tensor whole = at::arange(2 * 4 * 3 * 5).reshape({2, 4, 3, 5});  // batch, heads, sequence, head_dim
  for (int rank = 0; rank < 2; ++rank) {
    HandsOn module;
    outputs_own_heads(module, {.axis = "tp", .mesh = mesh, .rank = rank});
    EXPECT_TRUE(at::equal(local_piece(whole, module.output_placements, mesh, rank), whole.chunk(2, 1)[rank]));
  }
}

}  // namespace
}  // namespace ordercheck::ranks
