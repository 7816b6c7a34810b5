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
#include <map>
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
// Whether a copy of the module has the replacement too; one that is kept must not call the forward that it replaces, which is the
// first module's. What torch.compile puts in a module's place is left out of copies.
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

  // Children in order of registration. set_child replaces in place or appends; the child's parent becomes this.
  const std::vector<std::pair<std::string, ModulePtr>>& children() const { return children_; }
  ModulePtr child(const std::string& name) const;  // null when there is none
  void set_child(const std::string& name, ModulePtr child);
  void remove_child(const std::string& name);  // nothing happens when there is none

  const std::vector<std::pair<std::string, ParameterPtr>>& parameters() const { return parameters_; }
  ParameterPtr parameter(const std::string& name) const;  // null when there is none
  void set_parameter(const std::string& name, ParameterPtr parameter);

  // The path from the root, names as registered, or with wrappers left out. "" for the root.
  std::string path() const;
  std::string plain_path() const;

  const std::string& type() const { return type_; }
  virtual bool is_wrapper() const { return false; }
  virtual bool is_container() const { return false; }  // holds modules and is never called

  // A pipeline runs several forwards before their backwards. Before the first it says so, and before the last backward of a step
  // that the gradients are complete with it: what reduces gradients once a step, reduces them then.
  virtual void run_by_pipeline() {}
  virtual void before_last_backward() {}

  // What a copy is refused with; "" where the module can be copied.
  std::string refuses_copy;

  // The module and all below it, with parameters of their own; a parameter in several slots is one in the copy too. Hooks are
  // shared: they do to the copy what they were made to do, which may be to the module that they were made for. Throws what
  // refuses_copy of a module says.
  ModulePtr deep_copy() const;

  // Where the pieces of this module's output lie, as transforms set it; what a trace is gathered by.
  Placements output_placements;
  int64_t sequence_dim = 1;  // of the output: where positions are
  bool traced = true;        // false where the output has no places in a batch: rows of whichever tokens came

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
  Body body_of_copies_;  // of the replacements that copies keep
  Module* parent_ = nullptr;
  std::string name_;
};

// What a class of modules derives from that can be copied: class Linear : public ModuleOf<Linear>.
template <class Class>
class ModuleOf : public Module {
 public:
  using Module::Module;

 protected:
  ModulePtr shallow_copy() const override { return std::make_shared<Class>(static_cast<const Class&>(*this)); }
};

// All modules below and with `root`, parents first; and all parameters with their names, wrappers left out. A parameter in several
// slots is there once, under its first name, as in nn.Module's named_parameters.
std::vector<ModulePtr> modules_of(const ModulePtr& root);
struct NamedParameter {
  std::string name;
  Module* owner;
  std::string slot;
  ParameterPtr parameter;
};
std::vector<NamedParameter> parameters_of(const ModulePtr& root);

}  // namespace ordercheck::ranks
