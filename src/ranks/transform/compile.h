// `compile`: graph compilation, in place (module.compile()) or by wrapping (torch.compile(module), `compile:wrap`), of each
// block or, `@model`, of the whole model.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform compile_transform();

}  // namespace ordercheck::ranks
