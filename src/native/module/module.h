// Provides the module: named children, named parameters, a forward, and the hooks that transforms use.
//
// The hooks are PyTorch's, because the effect of an order of transforms depends on the hooks that each one uses:
//
//   call(inputs)
//     pre-hooks, in order            FSDP gathers, tensor parallelism redistributes inputs
//     body: forward or replacement   compile in place
//     post-hooks, in order           tensor parallelism redistributes the output, FSDP frees
//
// A wrapper (checkpointing, compile:wrap) is a Module that replaces the wrapped one in its parent. It changes paths as
// PyTorch's wrappers do: "layers.0._checkpoint_wrapped_module.attention". Names in records and messages omit wrappers:
// "layers.0.attention".
//
// Owned by one rank; not thread safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "native/module/parameter.h"

namespace ordercheck::ranks {

class Module;
using ModulePtr = std::shared_ptr<Module>;
using Tensors = std::vector<at::Tensor>;

// A pre-hook returns the inputs for the next hook or the body, a post-hook the output; either may return what it got.
using PreHook = std::function<Tensors(Module&, Tensors)>;
using PostHook = std::function<at::Tensor(Module&, const Tensors&, at::Tensor)>;
// A body is what runs between pre-hooks and post-hooks. A replacement gets the current body (at first, the module's forward)
// and returns the new one.
using Body = std::function<at::Tensor(const Tensors&)>;
using BodyReplacement = std::function<Body(Body forward)>;

enum class HookPlace { last, first };
// Whether deep_copy() keeps a body replacement. A kept one must not call the `forward` that it got, because that function
// belongs to the original module. torch.compile's replacement is dropped in copies.
enum class InCopies { kept, dropped };

class Module {
 public:
  explicit Module(std::string type) : type_(std::move(type)) {}
  virtual ~Module() = default;
  Module& operator=(const Module&) = delete;

  at::Tensor call(Tensors inputs);

  void add_pre_hook(PreHook hook, HookPlace place = HookPlace::last);
  void add_post_hook(PostHook hook, HookPlace place = HookPlace::last);
  void replace_body(const BodyReplacement& replacement, InCopies in_copies = InCopies::dropped);

  // Children in order of registration. set_child() replaces the child of that name or appends a new one, and makes this module
  // its parent.
  const std::vector<std::pair<std::string, ModulePtr>>& children() const { return children_; }
  ModulePtr child(const std::string& name) const;  // null if there is none
  void set_child(const std::string& name, ModulePtr child);
  void remove_child(const std::string& name);  // does nothing if there is none

  const std::vector<std::pair<std::string, ParameterPtr>>& parameters() const { return parameters_; }
  ParameterPtr parameter(const std::string& name) const;  // null if there is none
  void set_parameter(const std::string& name, ParameterPtr parameter);

  // Path from the root; "" for the root. plain_path() omits wrappers.
  std::string path() const;
  std::string plain_path() const;

  const std::string& type() const { return type_; }
  virtual bool is_wrapper() const { return false; }
  virtual bool is_container() const { return false; }  // holds modules and is never called

  // A pipeline runs several forwards before their backwards. It calls run_by_pipeline() once, before the first step, and
  // before_last_backward() before the backward of each step's last microbatch, after which gradients are complete. Wrappers
  // that reduce gradients once per step (DDP) do so in that backward.
  virtual void run_by_pipeline() {}
  virtual void before_last_backward() {}

  // The error that deep_copy() throws; empty if the module can be copied.
  std::string refuses_copy;

  // Copies the module and its descendants with new parameters; a parameter shared by several slots stays shared in the copy.
  // Hooks are not copied, because a hook may act on the original module. Throws the first refuses_copy that is set.
  ModulePtr deep_copy() const;

  // How the module's output is sharded over the mesh, set by transforms. The record assembles the full output from all ranks by
  // it.
  Placements output_placements;
  int64_t sequence_dim = 1;  // dim of the output that is the sequence position
  // Whether runs with Keep::values record the output; false if its rows are not those of the batch (routed tokens).
  bool traced = true;

 protected:
  Module(const Module&) = default;  // for shallow_copy()
  virtual at::Tensor forward(const Tensors& inputs) = 0;
  virtual ModulePtr shallow_copy() const;  // throws; see ModuleOf
  at::Tensor use(const std::string& name) const { return parameter(name)->used(); }

 private:
  using Copies = std::map<const Parameter*, ParameterPtr>;
  ModulePtr copied(Copies& parameters) const;

  std::string type_;
  std::vector<std::pair<std::string, ModulePtr>> children_;
  std::vector<std::pair<std::string, ParameterPtr>> parameters_;
  std::vector<PreHook> pre_hooks_;
  std::vector<PostHook> post_hooks_;
  Body body_;
  Body body_of_copies_;  // the body that deep_copy() gives to copies
  Module* parent_ = nullptr;
  std::string name_;
};

// Base of copyable modules: class Linear : public ModuleOf<Linear>.
template <class Class>
class ModuleOf : public Module {
 public:
  using Module::Module;

 protected:
  ModulePtr shallow_copy() const override { return std::make_shared<Class>(static_cast<const Class&>(*this)); }
};

// modules_of() returns `root` and its descendants, parents first. parameters_of() returns all their parameters by names without
// wrappers. Like nn.Module's named_parameters, it lists a shared parameter once, under its first name.
std::vector<ModulePtr> modules_of(const ModulePtr& root);
struct NamedParameter {
  std::string name;
  Module* owner;
  std::string slot;
  ParameterPtr parameter;
};
std::vector<NamedParameter> parameters_of(const ModulePtr& root);

}  // namespace ordercheck::ranks
