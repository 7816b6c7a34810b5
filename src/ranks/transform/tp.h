// `tp`: tensor parallelism by a plan of module paths, with sequence parallelism unless `sp=off`.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform tp_transform();

}  // namespace ordercheck::ranks
