// A module: named children, named parameters, a forward, and the places where transforms take hold of it.
//
// The places are PyTorch's, because where a transform takes hold is what makes its order matter:
//
//   call(inputs)
//     pre-hooks, in order            FSDP gathers, tensor parallelism redistributes inputs
//     body: forward, or what replaced it   compile in place
//     post-hooks, in order           tensor parallelism redistributes the output, FSDP frees
//
// A wrapper (checkpointing, compile:wrap) is a Module of its own that takes the wrapped one's place in its parent. It
// renames paths, as PyTorch's wrappers do: "layers.0._checkpoint_wrapped_module.attention". Names that records and people
// see leave wrappers out: "layers.0.attention".
//
// Owned by one rank; not thread safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "ranks/module/parameter.h"

namespace ordercheck::ranks {

class Module;
using ModulePtr = std::shared_ptr<Module>;
using Tensors = std::vector<at::Tensor>;

// A pre-hook may replace the inputs, a post-hook the output.
using PreHook = std::function<Tensors(Module&, Tensors)>;
using PostHook = std::function<at::Tensor(Module&, const Tensors&, at::Tensor)>;
// Replaces forward beneath the hooks; `forward` is what it replaces.
using Body = std::function<at::Tensor(const Tensors&)>;
using BodyReplacement = std::function<Body(Body forward)>;

enum class HookPlace { last, first };

class Module {
 public:
  explicit Module(std::string type) : type_(std::move(type)) {}
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  at::Tensor call(Tensors inputs);

  void add_pre_hook(PreHook hook, HookPlace place = HookPlace::last);
  void add_post_hook(PostHook hook, HookPlace place = HookPlace::last);
  void replace_body(const BodyReplacement& replacement);

  // Children in order of registration. set_child replaces in place or appends; the child's parent becomes this.
  const std::vector<std::pair<std::string, ModulePtr>>& children() const { return children_; }
  ModulePtr child(const std::string& name) const;  // null when there is none
  void set_child(const std::string& name, ModulePtr child);

  const std::vector<std::pair<std::string, ParameterPtr>>& parameters() const { return parameters_; }
  ParameterPtr parameter(const std::string& name) const;  // null when there is none
  void set_parameter(const std::string& name, ParameterPtr parameter);

  // The path from the root, names as registered, or with wrappers left out. "" for the root.
  std::string path() const;
  std::string plain_path() const;

  const std::string& type() const { return type_; }
  virtual bool is_wrapper() const { return false; }
  virtual bool is_container() const { return false; }  // holds modules and is never called

  // The child that `module.name` means in a user's code: wrappers in PyTorch may pass the question on to what they wrap.
  virtual ModulePtr attribute(const std::string& name) const { return child(name); }

  // Where the pieces of this module's output lie, as transforms set it; what a trace is gathered by.
  Placements output_placements;

 protected:
  virtual at::Tensor forward(const Tensors& inputs) = 0;
  at::Tensor use(const std::string& name) const { return parameter(name)->used(); }

 private:
  std::string type_;
  std::vector<std::pair<std::string, ModulePtr>> children_;
  std::vector<std::pair<std::string, ParameterPtr>> parameters_;
  std::vector<PreHook> pre_hooks_;
  std::vector<PostHook> post_hooks_;
  Body body_;
  Module* parent_ = nullptr;
  std::string name_;
};

// All modules below and with `root`, parents first; and all parameters with their names, wrappers left out.
std::vector<ModulePtr> modules_of(const ModulePtr& root);
struct NamedParameter {
  std::string name;
  Module* owner;
  std::string slot;
  ParameterPtr parameter;
};
std::vector<NamedParameter> parameters_of(const ModulePtr& root);

}  // namespace ordercheck::ranks
