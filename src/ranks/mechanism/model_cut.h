// A model cut into the stages of a pipeline by hand, as torchtitan cuts it: a stage is the model without what is not its own.
#pragma once

#include "ranks/module/module.h"

namespace ordercheck::ranks {

// Leaves of `model` what stage `stage` of `stages` has. Blocks are dealt out as evenly as can be; the first stage has the
// embedding, the last one norm and output. With more stages than blocks the embedding, and norm with output, are dealt out as
// blocks are. Throws where a stage would be left without any.
void keep_stage(const ModulePtr& model, int stage, int stages);

}  // namespace ordercheck::ranks
