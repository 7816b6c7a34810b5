#include "native/transform/captured_body.h"

#include <stdexcept>

#include <fmt/format.h>

#include "native/graph/dispatch_mode.h"
#include "native/graph/pass_list.h"
#include "native/graph/recorder.h"
#include "native/graph/replay.h"
#include "native/module/compiled_scope.h"
#include "native/module/rank.h"

namespace ordercheck::ranks {
namespace {

void collect_leaves(const Module& module, std::vector<at::Tensor>& leaves) {
  for (const auto& [slot, parameter] : module.parameters()) leaves.push_back(parameter->tensor);
  for (const auto& [name, child] : module.children()) collect_leaves(*child, leaves);
}

// What a captured graph was specialized for: another call may replay it only if its Guard is equal.
struct Guard {
  struct Input {
    std::vector<int64_t> sizes, strides;
    at::ScalarType dtype;
    bool requires_grad;
    friend bool operator==(const Input&, const Input&) = default;
  };
  std::vector<Input> inputs;
  std::vector<std::pair<const void*, bool>> leaves;  // parameter leaves (TensorImpl), each with its requires_grad
  friend bool operator==(const Guard&, const Guard&) = default;
};

Guard guard_of(const Tensors& inputs, const std::vector<at::Tensor>& leaves) {
  Guard guard;
  for (const at::Tensor& input : inputs) {
    guard.inputs.push_back({.sizes = input.sizes().vec(),
                            .strides = input.strides().vec(),
                            .dtype = input.scalar_type(),
                            .requires_grad = input.requires_grad()});
  }
  for (const at::Tensor& leaf : leaves) guard.leaves.emplace_back(leaf.unsafeGetTensorImpl(), leaf.requires_grad());
  return guard;
}

class CapturedBody {
 public:
  CapturedBody(Module& module, Body body, CaptureOptions options)
      : module_(module), body_(std::move(body)), options_(options) {}

  at::Tensor call(const Tensors& inputs) {
    const CompiledScope scope;
    if (is_recording() || broken_) return body_(inputs);
    std::vector<at::Tensor> leaves;
    collect_leaves(module_, leaves);
    const Guard guard = guard_of(inputs, leaves);
    for (const auto& [held_for, graph] : graphs_) {
      if (held_for == guard) return run(graph, inputs);
    }
    try {
      graphs_.emplace_back(guard, capture(inputs, leaves));
    } catch (const GraphBreak& reason) {
      give_up(reason.what());
      return body_(inputs);
    }
    return run(graphs_.back().second, inputs);
  }

 private:
  at::Tensor run(const GraphPtr& graph, const Tensors& inputs) const { return replay(graph, inputs); }

  std::string region() const {
    const std::string path = module_.plain_path();
    return path.empty() ? "the model" : path;
  }

  GraphPtr capture(const Tensors& inputs, const std::vector<at::Tensor>& leaves) {
    GraphPtr graph = record(module_.plain_path(), body_, inputs, leaves);
    RankState& rank = this_rank();
    const auto tell = [&] {
      if (rank.on_pass) rank.on_pass(describe(*graph));
    };
    tell();
    run_passes(*graph, options_.passes.empty() ? usual_passes(*graph) : options_.passes, tell);
    ++rank.counters.graph_captures;
    if (rank.on_capture) rank.on_capture(describe(*graph));
    return graph;
  }

  void give_up(const std::string& reason) {
    RankState& rank = this_rank();
    rank.forget_thrown();
    const std::string text = fmt::format("graph break in {}: {}", region(), reason);
    if (options_.full_graph) throw std::runtime_error("compile:fullgraph met a " + text);
    ++rank.counters.graph_breaks;
    rank.notes.push_back("compile: " + text);
    broken_ = true;
    capture_children(module_);
  }

  // Recurse into containers, such as a list of blocks, because they are never called.
  void capture_children(Module& module) {
    for (const auto& [name, child] : module.children()) {
      if (child->is_container()) {
        capture_children(*child);
      } else {
        capture_body(*child, options_);
      }
    }
  }

  Module& module_;
  Body body_;
  CaptureOptions options_;
  bool broken_ = false;
  std::vector<std::pair<Guard, GraphPtr>> graphs_;
};

}  // namespace

void capture_body(Module& module, const CaptureOptions& options) {
  module.replace_body([&](Body body) -> Body {
    auto captured = std::make_shared<CapturedBody>(module, std::move(body), options);
    return [captured](const Tensors& inputs) { return captured->call(inputs); };
  });
}

}  // namespace ordercheck::ranks
