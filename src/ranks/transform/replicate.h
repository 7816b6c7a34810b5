// `replicate`: composable data parallelism, which changes each block and the root in place.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform replicate_transform();

}  // namespace ordercheck::ranks
