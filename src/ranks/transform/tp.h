// `tp`: tensor parallelism by a plan of module paths, with sequence parallelism unless `sp=off`.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

std::string cannot_tp(const Item& item);
void apply_tp(Subject& subject, const Item& item, const Site& site);

}  // namespace ordercheck::ranks
