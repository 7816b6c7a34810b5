// `compile`: graph compilation, in place (module.compile()) or by wrapping (torch.compile(module), `compile:wrap`), of each
// block or, `@model`, of the whole model.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

std::string cannot_compile(const Item& item);
void apply_compile(Subject& subject, const Item& item, const Site& site);

}  // namespace ordercheck::ranks
