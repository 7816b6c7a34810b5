// `compile`: graph compilation, in place (module.compile()) or by wrapping (torch.compile(module), `compile:wrap`), of each
// block or, `@model`, of the whole model.
// In place the call is replaced beneath the module's hooks; the wrapper, as torch's OptimizedModule, encloses them and
// renames everything below it.
#include "base/text.h"
#include "ranks/graph/pass_list.h"
#include "ranks/mechanism/captured_body.h"
#include "ranks/mechanism/sharded_blocks.h"
#include "ranks/transform/transform.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kOriginal = "_orig_mod";  // torch's name for it

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
    const auto blocks = layers->children();  // a copy: wrapping changes what is walked
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
