#include "ranks/mechanism/blocks.h"

#include <stdexcept>

namespace ordercheck::ranks {

ModulePtr layers_of(const ModulePtr& model) {
  ModulePtr inside = model;
  while (inside->is_wrapper() && !inside->child("layers")) inside = inside->children().front().second;
  const ModulePtr layers = inside->child("layers");
  if (!layers) throw std::runtime_error("the model has no child 'layers' whose children are its blocks");
  return layers;
}

std::vector<ModulePtr> blocks_of(const ModulePtr& model) {
  std::vector<ModulePtr> blocks;
  for (const auto& [name, block] : layers_of(model)->children()) blocks.push_back(block);
  return blocks;
}

std::vector<ModulePtr> blocks_of(const std::vector<ModulePtr>& parts) {
  std::vector<ModulePtr> blocks;
  for (const ModulePtr& part : parts)
    for (const ModulePtr& block : blocks_of(part)) blocks.push_back(block);
  return blocks;
}

}  // namespace ordercheck::ranks
