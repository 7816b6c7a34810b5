// `fsdp`: fully sharded data parallelism of each block, then of the rest of the model.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

std::string cannot_fsdp(const Item& item);
void apply_fsdp(Subject& subject, const Item& item, const Site& site);

}  // namespace ordercheck::ranks
