#include "parity/effect.h"

#include "base/text.h"

namespace ordercheck {

std::string print(const std::vector<Sign>& signs) {
  std::vector<std::string> texts;
  for (const Sign& sign : signs) texts.push_back((sign.missing ? "missing: " : "") + sign.text);
  return join(texts, "; ");
}

std::vector<Effect> lost_effects(const std::vector<Effect>& effects) {
  std::vector<Effect> nothing, part;
  for (const Effect& effect : effects)
    if (effect.defined && !effect.present) (effect.partly ? part : nothing).push_back(effect);
  return nothing.empty() ? part : nothing;
}

}  // namespace ordercheck
