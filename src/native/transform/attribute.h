// Finds a child by attribute as Python code does: wrappers forward to the wrapped module (nn.Module's __getattr__ in torch's
// CheckpointWrapper and OptimizedModule).
#pragma once

#include <stdexcept>
#include <string>

#include "native/module/module.h"

namespace ordercheck::ranks {

// Returns the child `name` of `module` or of the module that it wraps; null if neither has one.
inline ModulePtr find_attribute(const ModulePtr& module, const std::string& name) {
  if (const ModulePtr child = module->child(name)) return child;
  return module->is_wrapper() ? find_attribute(module->children().front().second, name) : nullptr;
}

inline ModulePtr attribute(const ModulePtr& module, const std::string& name) {
  if (const ModulePtr found = find_attribute(module, name)) return found;
  throw std::runtime_error("'" + module->type() + "' has no attribute '" + name + "'");
}

}  // namespace ordercheck::ranks
