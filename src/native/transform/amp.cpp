// `amp`: automatic mixed precision: forward runs under autocast to bf16 or fp16. Autocast skips float64, so it needs float32.
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

void apply_amp(TrainingProgram& program, const Item& item, const Site&) {
  program.autocast = {.on = true, .dtype = item.mode == "fp16" ? at::kHalf : at::kBFloat16};
}

}  // namespace

Transform amp_transform() { return {.built = {.name = "amp", .scopes = {"model"}}, .apply = apply_amp}; }

}  // namespace ordercheck::ranks
