// SimpleFSDP's mode replicate. As distribute_tensor of what every rank holds alike it sends no values: ranks keep their own.
#include "ranks/transform/simple_replicate.h"

#include "ranks/mechanism/parametrization.h"

namespace ordercheck::ranks {
namespace {

void apply_simple_replicate(TrainingProgram& program, const Item& item, const Site& site) {
  parametrize_as_item_says(program.parts, item, {.replicas = "dp_replicate", .mesh = site.mesh, .rank = site.rank});
}

}  // namespace

Transform simple_replicate_transform() {
  return {.built = {.name = "simple_replicate",
                    .scopes = {"model"},
                    .options = {{"reshard"}, {"bucket"}, {"bucket_modules"}, {"mp"}}},
          .apply = apply_simple_replicate};
}

}  // namespace ordercheck::ranks
