// `amp`: automatic mixed precision: the forward runs under autocast to bf16 or fp16. Float64 is not cast, so it needs float32
// arithmetic.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform amp_transform();

}  // namespace ordercheck::ranks
