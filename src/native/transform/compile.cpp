// `compile`: graph compilation of each block or, with `@model`, of the whole model. It works in place (module.compile()) or by
// wrapping (torch.compile(module), `compile:wrap`). In place, it replaces the call inside the module's hooks. The wrapper, like
// torch's OptimizedModule, encloses the hooks and renames all paths below it.
#include "base/text.h"
#include "native/graph/pass_list.h"
#include "native/transform/captured_body.h"
#include "native/transform/sharded_blocks.h"
#include "native/transform/transform.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kOriginal = "_orig_mod";  // torch's name

class OptimizedModule final : public ModuleOf<OptimizedModule> {
 public:
  explicit OptimizedModule(ModulePtr wrapped) : ModuleOf("OptimizedModule") {
    output_placements = wrapped->output_placements;
    set_child(kOriginal, std::move(wrapped));
  }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override { return child(kOriginal)->call(inputs); }
};

ModulePtr compiled(const ModulePtr& module, bool wrap, const CaptureOptions& options) {
  const ModulePtr target = wrap ? std::make_shared<OptimizedModule>(module) : module;
  capture_body(*target, options);
  return target;
}

void apply_compile(TrainingProgram& program, const Item& item, const Site&) {
  CaptureOptions options{.full_graph = option_of(item, "fullgraph").has_value(), .passes = {}};
  if (const auto passes = option_of(item, "passes")) options.passes = split(*passes, '+');
  const bool wrap = option_of(item, "wrap").has_value();
  for (ModulePtr& model : program.parts) {
    if (scope_of(item) == Scope::model) {
      model = compiled(model, wrap, options);
      continue;
    }
    const ModulePtr layers = layers_of(model);
    const auto blocks = layers->children();  // a copy: wrapping modifies the original
    for (const auto& [name, block] : blocks) layers->set_child(name, compiled(block, wrap, options));
  }
}

}  // namespace

Transform compile_transform() {
  return {.built = {.name = "compile",
                    .modes = {""},
                    .scopes = {"block", "model"},
                    .options = {{"wrap"}, {"fullgraph"}, {"passes", pass_names()}}},
          .apply = apply_compile};
}

}  // namespace ordercheck::ranks
