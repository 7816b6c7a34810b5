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

// A transform is before another one if it was applied first to the modules that both reached, or else to modules of which one
// holds the other. A pipeline comes after the transforms of modules that its stage does not have. A checkpoint that a forward
// calls around a whole module is outside of what was applied to the module before; around another method it is inside. An
// optimizer that holds the parameters of the model comes last, whenever it was made: accelerate puts them in.
RecordedOrder order_of(const AppliedTransforms& applied, const Recording& recording);

// The order for each family of modules: "blocks  layers.* (12)  tp, ac, compile, fsdp".
std::vector<FamilyOrder> family_orders(const RecordedOrder& order, const Recording& recording, const RecordedModel& model);

}  // namespace ordercheck
