// `ac`: activation checkpointing of each block (full), or of every n-th (selective:n=2).
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

std::string cannot_ac(const Item& item);
void apply_ac(Subject& subject, const Item& item, const Site& site);

}  // namespace ordercheck::ranks
