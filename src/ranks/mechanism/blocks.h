// Where a model keeps its blocks: what a transform of the scope `block` acts on.
#pragma once

#include <vector>

#include "ranks/module/module.h"

namespace ordercheck::ranks {

// The container of the model's blocks, its child "layers". Wrappers around the model are looked through, as a user does who
// writes `model.module.layers` or goes by the type of the blocks. Throws where there is none.
ModulePtr layers_of(const ModulePtr& model);

// The modules that the scope `block` means: the children of the model's "layers", whatever stands there now.
std::vector<ModulePtr> blocks_of(const ModulePtr& model);
std::vector<ModulePtr> blocks_of(const std::vector<ModulePtr>& parts);  // of all parts of a model

}  // namespace ordercheck::ranks
