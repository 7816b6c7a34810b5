// `optimizer`: SGD or AdamW with clipping by total norm. It binds the model's parameters when it is applied, as every
// torch optimizer does: parameters that a later transform replaces are not its parameters. in_backward=on hangs it on their
// gradients.
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform optimizer_transform();

}  // namespace ordercheck::ranks
