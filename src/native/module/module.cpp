#include "native/module/module.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <set>
#include <stdexcept>

#include "native/module/rank.h"

namespace ordercheck::ranks {
namespace {

template <class T>
T find_named(const std::vector<std::pair<std::string, T>>& entries, const std::string& name) {
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == name; });
  return entry == entries.end() ? T() : entry->second;
}

template <class T>
void set_named(std::vector<std::pair<std::string, T>>& entries, const std::string& name, T value) {
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == name; });
  if (entry == entries.end()) {
    entries.emplace_back(name, std::move(value));
  } else {
    entry->second = std::move(value);
  }
}

// Makes `module` the rank's current module for the duration of a call, also if the call throws (early stop of a recomputation).
class ModuleScope {
 public:
  explicit ModuleScope(const std::string& path) : rank_(find_rank()) {
    if (rank_) rank_->enter_module(path);
  }
  ~ModuleScope() {
    if (!rank_) return;
    if (std::uncaught_exceptions() > exceptions_) rank_->note_thrown();
    rank_->leave_module();
  }
  ModuleScope(const ModuleScope&) = delete;

 private:
  RankState* rank_;
  int exceptions_ = std::uncaught_exceptions();
};

void collect(const ModulePtr& module, std::vector<ModulePtr>& into) {
  into.push_back(module);
  for (const auto& [name, child] : module->children()) collect(child, into);
}

}  // namespace

at::Tensor Module::call(Tensors inputs) {
  const ModuleScope scope(plain_path());
  for (const PreHook& hook : pre_hooks_) inputs = hook(*this, std::move(inputs));
  at::Tensor output = body_ ? body_(inputs) : forward(inputs);
  for (const PostHook& hook : post_hooks_) output = hook(*this, inputs, std::move(output));
  RankState* rank = find_rank();
  if (rank && rank->on_output && traced && !is_wrapper() && !rank->in_dry_run() && rank->phase() == Phase::forward) {
    rank->on_output(*this, output);
  }
  return output;
}

void Module::add_pre_hook(PreHook hook, HookPlace place) {
  pre_hooks_.insert(place == HookPlace::first ? pre_hooks_.begin() : pre_hooks_.end(), std::move(hook));
}

void Module::add_post_hook(PostHook hook, HookPlace place) {
  post_hooks_.insert(place == HookPlace::first ? post_hooks_.begin() : post_hooks_.end(), std::move(hook));
}

void Module::replace_body(const BodyReplacement& replacement, InCopies in_copies) {
  Body before = body_ ? body_ : [this](const Tensors& inputs) { return forward(inputs); };
  body_ = replacement(std::move(before));
  if (in_copies == InCopies::kept) body_of_copies_ = replacement([this](const Tensors& inputs) { return forward(inputs); });
}

ModulePtr Module::shallow_copy() const { throw std::runtime_error("a module of the type " + type_ + " cannot be copied"); }

ModulePtr Module::deep_copy() const {
  Copies parameters;
  return copied(parameters);
}

ModulePtr Module::copied(Copies& parameters) const {
  if (!refuses_copy.empty()) throw std::runtime_error(refuses_copy);
  ModulePtr copy = shallow_copy();
  copy->parent_ = nullptr;
  copy->body_ = body_of_copies_;
  for (auto& [slot, parameter] : copy->parameters_) {
    ParameterPtr& own = parameters[parameter.get()];
    if (!own) own = copy_of(*parameter);
    parameter = own;
  }
  for (auto& [name, child] : copy->children_) {
    child = child->copied(parameters);
    child->parent_ = copy.get();
  }
  return copy;
}

ModulePtr Module::child(const std::string& name) const { return find_named(children_, name); }

void Module::set_child(const std::string& name, ModulePtr child) {
  child->parent_ = this;
  child->name_ = name;
  set_named(children_, name, std::move(child));
}

void Module::remove_child(const std::string& name) {
  if (const ModulePtr removed = child(name)) removed->parent_ = nullptr;
  std::erase_if(children_, [&](const auto& child) { return child.first == name; });
}

ParameterPtr Module::parameter(const std::string& name) const { return find_named(parameters_, name); }

void Module::set_parameter(const std::string& name, ParameterPtr parameter) {
  set_named(parameters_, name, std::move(parameter));
}

std::string Module::path() const {
  if (!parent_) return "";
  const std::string above = parent_->path();
  return above.empty() ? name_ : above + "." + name_;
}

// A wrapper has the name that the wrapped module had in their parent, so the wrapped module's plain path uses the wrapper's
// name.
std::string Module::plain_path() const {
  if (!parent_) return "";
  std::string above = parent_->plain_path();
  if (parent_->is_wrapper()) return above;
  if (!above.empty()) above += '.';
  return above += name_;
}

std::vector<ModulePtr> modules_of(const ModulePtr& root) {
  std::vector<ModulePtr> modules;
  collect(root, modules);
  return modules;
}

std::vector<NamedParameter> parameters_of(const ModulePtr& root) {
  std::vector<NamedParameter> parameters;
  std::set<const Parameter*> known;
  for (const ModulePtr& module : modules_of(root)) {
    std::string prefix = module->plain_path();
    if (!prefix.empty()) prefix += '.';
    for (const auto& [slot, parameter] : module->parameters()) {
      if (!known.insert(parameter.get()).second) continue;
      parameters.push_back({.name = prefix + slot, .owner = module.get(), .slot = slot, .parameter = parameter});
    }
  }
  return parameters;
}

}  // namespace ordercheck::ranks
