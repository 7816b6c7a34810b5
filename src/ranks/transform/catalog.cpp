#include <algorithm>

#include "ranks/transform/ac.h"
#include "ranks/transform/compile.h"
#include "ranks/transform/ddp.h"
#include "ranks/transform/fsdp.h"
#include "ranks/transform/optimizer.h"
#include "ranks/transform/sac.h"
#include "ranks/transform/tp.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

const std::vector<Transform>& transform_catalog() {
  static const std::vector<Transform> catalog{
      {"ac", cannot_ac, apply_ac},
      {"compile", cannot_compile, apply_compile},
      {"ddp", cannot_ddp, apply_ddp, "dp_replicate"},
      {"fsdp", cannot_fsdp, apply_fsdp},
      {"optimizer", cannot_optimizer, apply_optimizer},
      {"sac", cannot_sac, apply_sac},
      {"tp", cannot_tp, apply_tp},
  };
  return catalog;
}

const Transform* find_transform_of_engine(const std::string& name) {
  const auto& catalog = transform_catalog();
  const auto found = std::find_if(catalog.begin(), catalog.end(), [&](const Transform& t) { return t.name == name; });
  return found == catalog.end() ? nullptr : &*found;
}

}  // namespace ordercheck::ranks
