#include "ranks/mechanism/bucket_plan.h"

#include <fmt/format.h>

#include "ranks/mechanism/blocks.h"

namespace ordercheck::ranks {
namespace {

const Module& unwrapped(const Module& model) {
  const Module* here = &model;
  while (here->is_wrapper()) here = here->children().front().second.get();
  return *here;
}

}  // namespace

BucketPlan BucketPlan::of_transformer_blocks(const ModulePtr& model) {
  BucketPlan plan;
  const ModulePtr layers = layers_of(model);
  bool is_behind = false;
  std::string behind;
  for (const auto& [name, child] : unwrapped(*model).children()) {
    if (child == layers) {
      for (const auto& [number, block] : layers->children()) {
        const std::string path = fmt::format("{}.{}", name, number);
        plan.by_module_[path] = path;
      }
      is_behind = true;
    } else if (is_behind) {
      if (behind.empty()) behind = name;  // the bucket is called by its first module
      plan.by_module_[name] = behind;
    } else {
      plan.by_module_[name] = name;
    }
  }
  return plan;
}

std::string BucketPlan::bucket_of(const std::string& path) const {
  for (std::string module = path; !module.empty();) {
    if (const auto found = by_module_.find(module); found != by_module_.end()) return found->second;
    const std::size_t dot = module.rfind('.');
    module = dot == std::string::npos ? "" : module.substr(0, dot);
  }
  return "";
}

}  // namespace ordercheck::ranks
