// `optimizer`: SGD or AdamW with clipping by total norm. Like torch optimizers it binds the model's current parameters, not
// those that later transforms register. in_backward=on steps each parameter when its gradient is ready.
#include <locale>
#include <sstream>

#include "native/transform/optimizer_step.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

// Clip norm for clip=per_mesh, which this engine runs as a normal clip: its norm always spans all sharding axes and pipeline
// stages.
constexpr double kClipPerMesh = 1;

// Returns the item's option as a number of at least 0, per_mesh as kClipPerMesh, or `otherwise` if it is not given. The
// transform catalog allows nothing else.
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
