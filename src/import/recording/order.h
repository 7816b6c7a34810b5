// Orders the transforms of a recording by the modules that they share.
#pragma once

#include <string>
#include <vector>

#include "import/imported.h"
#include "import/recording/applied.h"

namespace ordercheck {

struct RecordedOrder {
  std::vector<const AppliedTransform*> transforms;  // applied first to applied last
  std::vector<NotUnderstood> not_understood;        // pairs whose order differs between modules
};

// Rules of the order:
// - Two transforms that reached the same modules: the one that reached them first. Without a shared module, modules of which one
//   holds the other decide.
// - A pipeline comes after transforms of modules that its stage does not have.
// - A checkpoint that a forward calls around a whole module is outside of what was applied to it before; around another method
//   it is inside.
// - An optimizer that holds the model's parameters comes last, whenever it was made: accelerate puts them in.
RecordedOrder order_of(const AppliedTransforms& applied, const Recording& recording);

// The order for each family of modules: "blocks  layers.* (12)  tp, ac, compile, fsdp".
std::vector<FamilyOrder> family_orders(const RecordedOrder& order, const Recording& recording, const RecordedModel& model);

}  // namespace ordercheck
