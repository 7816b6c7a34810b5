#include <algorithm>

#include "native/transform/transform.h"

namespace ordercheck::ranks {

const std::vector<Transform>& transform_catalog() {
  static const std::vector<Transform> catalog{
      ac_transform(),
      amp_transform(),
      compile_transform(),
      cp_transform(),
      ddp_transform(),
      ep_transform(),
      fsdp_transform(),
      hsdp_transform(),
      optimizer_transform(),
      pp_transform(),
      replicate_transform(),
      sac_transform(),
      simple_fsdp_transform(),
      simple_hsdp_transform(),
      simple_replicate_transform(),
      tp_transform(),
#ifdef ORDERCHECK_HIGHS
      auto_parallel_transform(),
#endif
  };
  return catalog;
}

std::vector<BuiltTransform> built_transforms() {
  std::vector<BuiltTransform> built;
  for (const Transform& transform : transform_catalog()) built.push_back(transform.built);
  return built;
}

const Transform* find_transform_of_engine(const std::string& name) {
  const auto& catalog = transform_catalog();
  const auto found = std::find_if(catalog.begin(), catalog.end(), [&](const Transform& t) { return t.built.name == name; });
  return found == catalog.end() ? nullptr : &*found;
}

}  // namespace ordercheck::ranks
