// `ac`: activation checkpointing of each block (full), or of every n-th (selective:n=2).
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform ac_transform();

}  // namespace ordercheck::ranks
