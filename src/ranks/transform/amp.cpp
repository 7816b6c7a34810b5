// `amp`: automatic mixed precision: the forward runs under autocast to bf16 or fp16. Float64 is not cast, so it needs float32
// arithmetic.
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

void apply_amp(TrainingProgram& program, const Item& item, const Site&) {
  program.autocast = {.on = true, .dtype = item.mode == "fp16" ? at::kHalf : at::kBFloat16};
}

}  // namespace

Transform amp_transform() { return {.built = {.name = "amp", .scopes = {"model"}}, .apply = apply_amp}; }

}  // namespace ordercheck::ranks
