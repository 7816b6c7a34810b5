#include "native/transform/bucket_plan.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/text.h"
#include "native/graph/bucketing.h"
#include "native/transform/sharded_blocks.h"

namespace ordercheck::ranks {
namespace {

const Module& unwrapped(const Module& model) {
  const Module* here = &model;
  while (here->is_wrapper()) here = here->children().front().second.get();
  return *here;
}

bool has_module(const ModulePtr& model, const std::string& path) {
  return !path.empty() && std::ranges::any_of(modules_of(model), [&](const auto& one) { return one->plain_path() == path; });
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
      if (behind.empty()) behind = name;  // modules after the blocks share a bucket named after the first of them
      plan.by_module_[name] = behind;
    } else {
      plan.by_module_[name] = name;
    }
  }
  return plan;
}

BucketPlan BucketPlan::automatic() {
  BucketPlan plan;
  plan.of_the_rest_ = kAutoBucket;
  return plan;
}

BucketPlan BucketPlan::of_modules(const ModulePtr& model, const std::vector<std::string>& paths) {
  BucketPlan plan;
  for (const std::string& path : paths) {
    if (!has_module(model, path)) throw std::runtime_error(fmt::format("bucket_modules: '{}' is no module of the model", path));
    plan.by_module_[path] = path;
  }
  for (const std::string& path : paths) {
    const std::size_t dot = path.rfind('.');
    const std::string outer = dot == std::string::npos ? "" : plan.bucket_of(path.substr(0, dot));
    if (!outer.empty())
      throw std::runtime_error(fmt::format("bucket_modules: '{}' is in the bucket of '{}' already", path, outer));
    if (std::ranges::count(paths, path) > 1) throw std::runtime_error(fmt::format("bucket_modules: '{}' is named twice", path));
  }
  return plan;
}

BucketPlan BucketPlan::as_item_says(const ModulePtr& model, const Item& item, bool is_stage) {
  const auto mode = option_of(item, "bucket"), modules = option_of(item, "bucket_modules");
  if ((mode == "manual") != modules.has_value())
    throw std::runtime_error("bucket=manual and bucket_modules=NAME+NAME go together");
  if (mode == "manual") {
    std::vector<std::string> paths = split(*modules, '+');
    if (is_stage) std::erase_if(paths, [&](const std::string& path) { return !has_module(model, path); });
    return of_modules(model, paths);
  }
  if (mode == "auto") return automatic();
  return mode == "transformer_block" ? of_transformer_blocks(model) : BucketPlan();
}

std::string BucketPlan::bucket_of(const std::string& path) const {
  for (std::string module = path; !module.empty();) {
    if (const auto found = by_module_.find(module); found != by_module_.end()) return found->second;
    const std::size_t dot = module.rfind('.');
    module = dot == std::string::npos ? "" : module.substr(0, dot);
  }
  return of_the_rest_;
}

std::vector<std::string> BucketPlan::left_out(const ModulePtr& model) const {
  std::vector<std::string> paths;
  for (const ModulePtr& module : modules_of(model))
    if (!module->parameters().empty() && bucket_of(module->plain_path()).empty()) paths.push_back(module->plain_path());
  return paths;
}

}  // namespace ordercheck::ranks
