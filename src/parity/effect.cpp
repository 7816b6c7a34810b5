#include "parity/effect.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {

std::string print(const std::vector<Sign>& signs) {
  std::vector<std::string> texts;
  for (const Sign& sign : signs) texts.push_back((sign.missing ? "missing: " : "") + sign.text);
  return join(texts, "; ");
}

bool is_lost(const Effect& effect) { return effect.defined && !effect.present; }

std::string loss_in_words(const Effect& lost) {
  std::vector<std::string> missing, others;
  for (const Sign& sign : lost.signs) (sign.missing ? missing : others).push_back(sign.text);
  const std::string beside = missing.empty() || others.empty() ? "" : fmt::format(" ({})", join(others, "; "));
  return fmt::format("{} has {}: {}{}", lost.transform, lost.partly ? "only a part of its effect" : "no effect",
                     join(missing.empty() ? others : missing, "; "), beside);
}

std::vector<Effect> lost_effects(const std::vector<Effect>& effects) {
  std::vector<Effect> nothing, part;
  for (const Effect& effect : effects)
    if (is_lost(effect)) (effect.partly ? part : nothing).push_back(effect);
  return nothing.empty() ? part : nothing;
}

}  // namespace ordercheck
