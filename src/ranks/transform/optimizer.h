// `optimizer`: SGD or AdamW with clipping by total norm. It binds the model's parameters when it is applied, as every
// torch optimizer does: parameters that a later transform replaces are not its parameters.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

std::string cannot_optimizer(const Item& item);
void apply_optimizer(Subject& subject, const Item& item, const Site& site);

}  // namespace ordercheck::ranks
