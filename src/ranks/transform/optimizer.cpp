#include "ranks/transform/optimizer.h"

#include <locale>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "ranks/mechanism/optimizer.h"

namespace ordercheck::ranks {
namespace {

// clip=per_mesh is what this engine's norm is always: over all axes that shard, and over the stages.
constexpr double kClipPerMesh = 1;

bool read_number(const Item& item, const char* option, double& value) {
  const auto text = option_of(item, option);
  if (!text) return true;
  if (*text == "per_mesh") {
    value = kClipPerMesh;
    return true;
  }
  std::istringstream stream(*text);
  stream.imbue(std::locale::classic());
  return static_cast<bool>(stream >> value) && stream.eof() && value >= 0;
}

std::string read_options(const Item& item, OptimizerOptions& options) {
  options.adamw = item.mode != "sgd";
  if (!options.adamw) options.learning_rate = 0.1;
  for (const auto& [name, value] : std::map<const char*, double*>{
           {"lr", &options.learning_rate}, {"clip", &options.clip}, {"weight_decay", &options.weight_decay}}) {
    if (!read_number(item, name, *value)) {
      return fmt::format("optimizer:{} expects a number of at least 0, got '{}'", name, *option_of(item, name));
    }
  }
  return "";
}

}  // namespace

std::string cannot_optimizer(const Item& item) {
  OptimizerOptions options;
  return read_options(item, options);
}

void apply_optimizer(Subject& subject, const Item& item, const Site& site) {
  OptimizerOptions options;
  read_options(item, options);
  std::vector<ParameterPtr> bound;
  for (const NamedParameter& named : parameters_of(subject.model)) bound.push_back(named.parameter);
  subject.optimizer = std::make_shared<Optimizer>(options, site.mesh, std::move(bound));
  subject.optimizer->count_replicas = site.mutant == "norm_replicas";
}

}  // namespace ordercheck::ranks
