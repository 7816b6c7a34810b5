#include "native/module/llama.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "native/module/attention.h"
#include "native/module/layers.h"
#include "native/module/moe.h"

namespace ordercheck::ranks {
namespace {

// Computes w2(silu(w1 x) * w3 x).
class FeedForward final : public ModuleOf<FeedForward> {
 public:
  FeedForward() : ModuleOf("FeedForward") {}

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    const at::Tensor gate = at::silu(child("w1")->call({inputs[0]}));
    return child("w2")->call({gate * child("w3")->call({inputs[0]})});
  }
};

// A decoder block. Inputs: x [batch, sequence, dim], positions.
class TransformerBlock final : public ModuleOf<TransformerBlock> {
 public:
  TransformerBlock() : ModuleOf("TransformerBlock") {}

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    const at::Tensor& x = inputs[0];
    const auto kept = [&](const char* name, const at::Tensor& branch) {
      const ModulePtr dropout = child(name);
      return dropout ? dropout->call({branch, inputs[1]}) : branch;
    };
    const at::Tensor attention = child("attention")->call({child("attention_norm")->call({x}), inputs[1]});
    const at::Tensor attended = x + kept("attention_dropout", attention);
    const ModulePtr wide = child("moe") ? child("moe") : child("feed_forward");
    return attended + kept("ffn_dropout", wide->call({child("ffn_norm")->call({attended})}));
  }
};

class Llama final : public ModuleOf<Llama> {
 public:
  explicit Llama(int first_block_calls) : ModuleOf("Llama"), first_block_calls_(first_block_calls) {}

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    // A pipeline stage lacks some of these modules, as in torchtitan: a missing one passes its input on.
    const auto through = [this](const char* name, const at::Tensor& x) {
      const ModulePtr module = child(name);
      return module ? module->call({x}) : x;
    };
    at::Tensor x = through("tok_embeddings", inputs[0]);
    for (const auto& [name, block] : child("layers")->children())
      for (int calls = name == "0" ? first_block_calls_ : 1; calls > 0; --calls) x = block->call({x, inputs[1]});
    return through("output", through("norm", x));
  }

 private:
  int first_block_calls_;
};

class Builder {
 public:
  Builder(const ModelSizes& sizes, const ModelOptions& options, const ExpertSizes* experts = nullptr)
      : sizes_(sizes), options_(options), experts_(experts) {}

  ModulePtr build() {
    auto model = std::make_shared<Llama>(options_.first_block_calls);
    model->set_child("tok_embeddings", std::make_shared<Embedding>(weights("tok_embeddings", sizes_.vocab, sizes_.dim)));
    auto layers = std::make_shared<ModuleDict>();
    for (int i = 0; i < sizes_.layers; ++i) layers->set_child(std::to_string(i), block(i));
    model->set_child("layers", layers);
    model->set_child("norm", norm("norm"));
    model->set_child("output", project("output", sizes_.vocab, sizes_.dim));
    if (options_.tied) model->child("output")->set_parameter("weight", model->child("tok_embeddings")->parameter("weight"));
    for (const NamedParameter& named : parameters_of(model))
      if (named.name == options_.frozen) named.parameter->tensor.set_requires_grad(false);
    return model;
  }

 private:
  at::Tensor weights(const std::string& path, int rows, int columns) {
    return initial_parameter(options_.seed, path + ".weight", {rows, columns}, options_.dtype).to(options_.device);
  }
  ModulePtr project(const std::string& path, int rows, int columns) {
    return std::make_shared<Linear>(weights(path, rows, columns));
  }
  ModulePtr norm(const std::string& path) {
    return std::make_shared<RMSNorm>(
        initial_parameter(options_.seed, path + ".weight", {sizes_.dim}, options_.dtype).to(options_.device), sizes_.norm_eps);
  }
  ModulePtr block(int index) {
    const std::string path = fmt::format("layers.{}", index);
    const AttentionOptions attention_options{.head_dim = sizes_.head_dim, .rope_theta = sizes_.rope_theta};
    const int query_width = sizes_.heads * sizes_.head_dim;
    const int key_width = sizes_.kv_heads * sizes_.head_dim;
    auto attention = std::make_shared<Attention>(attention_options);
    attention->set_child("wq", project(path + ".attention.wq", query_width, sizes_.dim));
    attention->set_child("wk", project(path + ".attention.wk", key_width, sizes_.dim));
    attention->set_child("wv", project(path + ".attention.wv", key_width, sizes_.dim));
    attention->set_child("inner_attention", std::make_shared<InnerAttention>(attention_options));
    attention->set_child("wo", project(path + ".attention.wo", sizes_.dim, query_width));
    auto block = std::make_shared<TransformerBlock>();
    block->set_child("attention_norm", norm(path + ".attention_norm"));
    block->set_child("attention", attention);
    if (options_.dropout > 0) block->set_child("attention_dropout", std::make_shared<Dropout>(options_.dropout));
    block->set_child("ffn_norm", norm(path + ".ffn_norm"));
    if (experts_)
      block->set_child("moe", mixture(path + ".moe"));
    else
      block->set_child("feed_forward", feed_forward(path + ".feed_forward", sizes_.ffn_hidden));
    if (options_.dropout > 0) block->set_child("ffn_dropout", std::make_shared<Dropout>(options_.dropout));
    return block;
  }
  ModulePtr feed_forward(const std::string& path, int hidden) {
    auto feed_forward = std::make_shared<FeedForward>();
    feed_forward->set_child("w1", project(path + ".w1", hidden, sizes_.dim));
    feed_forward->set_child("w2", project(path + ".w2", sizes_.dim, hidden));
    feed_forward->set_child("w3", project(path + ".w3", hidden, sizes_.dim));
    return feed_forward;
  }
  // Returns the weights of all experts in one tensor; each expert is uniform with variance 1/columns.
  at::Tensor expert_weights(const std::string& path, int rows, int columns) {
    return initial_parameter(options_.seed, path, {experts_->experts, rows, columns}, options_.dtype).to(options_.device);
  }
  ModulePtr mixture(const std::string& path) {
    auto router = std::make_shared<Router>(project(path + ".router.gate", experts_->experts, sizes_.dim));
    auto experts = std::make_shared<GroupedExperts>(expert_weights(path + ".experts.w1", experts_->hidden, sizes_.dim),
                                                    expert_weights(path + ".experts.w2", sizes_.dim, experts_->hidden),
                                                    expert_weights(path + ".experts.w3", experts_->hidden, sizes_.dim));
    auto moe = std::make_shared<MoE>(router, experts, feed_forward(path + ".shared_experts", experts_->shared_hidden),
                                     experts_->chosen);
    moe->capacity_factor = options_.capacity_factor;
    return moe;
  }

  ModelSizes sizes_;
  ModelOptions options_;
  const ExpertSizes* experts_;  // null for a dense model
};

}  // namespace

ModulePtr make_llama(const ModelSizes& sizes, const ModelOptions& options) { return Builder(sizes, options).build(); }

ModulePtr make_moe(const ModelSizes& sizes, const ExpertSizes& experts, const ModelOptions& options) {
  return Builder(sizes, options, &experts).build();
}

}  // namespace ordercheck::ranks
