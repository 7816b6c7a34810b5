// `optimizer`: SGD or AdamW with clipping by total norm. It binds the model's parameters when it is applied, as every
// torch optimizer does: parameters that a later transform replaces are not its parameters. in_backward=on hangs it on their
// gradients.
#include "ranks/mechanism/optimizer.h"

#include <locale>
#include <sstream>

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// clip=per_mesh is what this engine's norm is always: over all axes that shard, and over the stages.
constexpr double kClipPerMesh = 1;

// As the catalogue of transforms has them: a number of at least 0, or per_mesh.
double number_of(const Item& item, const char* option, double otherwise) {
  const auto text = option_of(item, option);
  if (!text) return otherwise;
  if (*text == "per_mesh") return kClipPerMesh;
  std::istringstream stream(*text);
  stream.imbue(std::locale::classic());
  stream >> otherwise;
  return otherwise;
}

OptimizerOptions options_of(const Item& item) {
  OptimizerOptions options;
  options.adamw = item.mode != "sgd";
  options.learning_rate = number_of(item, "lr", options.adamw ? options.learning_rate : 0.1);
  options.clip = number_of(item, "clip", options.clip);
  options.weight_decay = number_of(item, "weight_decay", options.weight_decay);
  return options;
}

void apply_optimizer(TrainingProgram& program, const Item& item, const Site& site) {
  std::vector<ParameterPtr> bound;
  for (const ModulePtr& model : program.parts)
    for (const NamedParameter& named : parameters_of(model)) bound.push_back(named.parameter);
  program.optimizer = std::make_shared<Optimizer>(options_of(item), site.mesh, std::move(bound));
  if (option_of(item, "in_backward")) Optimizer::step_in_backward(program.optimizer);
}

}  // namespace

Transform optimizer_transform() {
  return {.built = {.name = "optimizer",
                    .scopes = {"model"},
                    .options = {{"clip"}, {"foreach"}, {"lr"}, {"weight_decay"}, {"in_backward"}}},
          .apply = apply_optimizer};
}

}  // namespace ordercheck::ranks
