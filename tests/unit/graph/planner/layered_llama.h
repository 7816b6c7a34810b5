// The joint graph of a llama with any number of layers, in the operators that capture leaves of it, without rotary embeddings.
#pragma once

#include <string>
#include <vector>

#include "unit/graph/graph_builder.h"

namespace ordercheck::placing {

struct LlamaSizes {
  std::int64_t samples = 8, positions = 64, width = 64, heads = 8, hidden = 128, words = 256;
};

class LayeredLlama {
 public:
  explicit LayeredLlama(int layers, LlamaSizes sizes = {}) : sizes_(sizes) {
    const int table = builder_.parameter({sizes.words, sizes.width});
    for (int layer = 0; layer < layers; ++layer) {
      for (const Shape& shape : layer_shapes()) weights_.push_back(builder_.parameter(shape));
    }
    const int norm_weight = builder_.parameter({sizes.width}), head = builder_.parameter({sizes.words, sizes.width});
    const int tokens = builder_.input({sizes.samples, sizes.positions});
    int x = builder_.op("aten::embedding", {table, tokens}, wide(), {"-1", "False", "False"});
    std::vector<Layer> saved;
    for (int layer = 0; layer < layers; ++layer) x = forward(x, layer, saved);
    const Norm norm = normalized(x, norm_weight);
    const Linear logits = linear(norm.result, head);
    builder_.output(logits.result);

    builder_.begin_backward();
    const int tangent = builder_.tangent(builder_.shape(logits.result));
    int parameter = 1 + layers * static_cast<int>(layer_shapes().size());
    int gradient = norm_backward(linear_backward(tangent, logits, parameter + 1), norm, parameter);
    for (int layer = layers; layer-- > 0;) gradient = backward(gradient, layer, saved[layer]);
    builder_.gradient(builder_.op("aten::embedding_dense_backward", {gradient, tokens}, {sizes.words, sizes.width},
                                  {std::to_string(sizes.words), "-1", "False"}),
                      0);
  }

  const JointGraph& graph() const { return builder_.graph(); }

 private:
  struct Linear {
    int weight = 0, rows = 0, result = 0;
  };
  struct Norm {
    int weight = 0, input = 0, scale = 0, scaled = 0, result = 0;
  };
  struct Layer {
    Norm before_attention, before_hidden;
    Linear query, key, value, out, gate, up, down;
    int q = 0, k = 0, v = 0, attended = 0, sums = 0, gated = 0;
  };

  Shape wide() const { return {sizes_.samples, sizes_.positions, sizes_.width}; }
  Shape by_heads() const { return {sizes_.samples, sizes_.heads, sizes_.positions, sizes_.width / sizes_.heads}; }
  Shape by_positions() const { return {sizes_.samples, sizes_.positions, sizes_.heads, sizes_.width / sizes_.heads}; }
  std::vector<Shape> layer_shapes() const {
    const std::int64_t width = sizes_.width, hidden = sizes_.hidden;
    return {{width}, {width, width},  {width, width},  {width, width}, {width, width},
            {width}, {hidden, width}, {hidden, width}, {width, hidden}};
  }
  int weight(int layer, int at) const { return weights_[layer * layer_shapes().size() + at]; }
  int parameter(int layer, int at) const { return 1 + layer * static_cast<int>(layer_shapes().size()) + at; }

  Linear linear(int x, int weight) {
    const Shape in = builder_.shape(x), matrix = builder_.shape(weight);
    const int rows = builder_.op("aten::view", {x}, {in[0] * in[1], in[2]});
    const int turned = builder_.op("aten::t", {weight}, {matrix[1], matrix[0]});
    const int product = builder_.op("aten::mm", {rows, turned}, {in[0] * in[1], matrix[0]});
    return {.weight = weight, .rows = rows, .result = builder_.op("aten::_unsafe_view", {product}, {in[0], in[1], matrix[0]})};
  }

  int linear_backward(int gradient, const Linear& of, int parameter) {
    const Shape out = builder_.shape(gradient), matrix = builder_.shape(of.weight);
    const int rows = builder_.op("aten::view", {gradient}, {out[0] * out[1], out[2]});
    const int turned = builder_.op("aten::t", {rows}, {out[2], out[0] * out[1]});
    builder_.gradient(builder_.op("aten::mm", {turned, of.rows}, matrix), parameter);
    const int product = builder_.op("aten::mm", {rows, of.weight}, {out[0] * out[1], matrix[1]});
    return builder_.op("aten::view", {product}, {out[0], out[1], matrix[1]});
  }

  Norm normalized(int x, int weight) {
    const Shape one{sizes_.samples, sizes_.positions, 1};
    const int mean = builder_.op("aten::mean", {builder_.op("aten::pow", {x}, wide(), {"2"})}, one, {"[2]", "True", "None"});
    const int scale = builder_.op("aten::rsqrt", {builder_.op("aten::add", {mean}, one, {"1e-05", "1"})}, one);
    const int scaled = builder_.op("aten::mul", {x, scale}, wide());
    return {.weight = weight,
            .input = x,
            .scale = scale,
            .scaled = scaled,
            .result = builder_.op("aten::mul", {scaled, weight}, wide())};
  }

  int norm_backward(int gradient, const Norm& of, int parameter) {
    const Shape one{sizes_.samples, sizes_.positions, 1};
    const int by_weight = builder_.op("aten::mul", {gradient, of.scaled}, wide());
    const int sum = builder_.op("aten::sum", {by_weight}, {1, 1, sizes_.width}, {"[0, 1]", "True", "None"});
    builder_.gradient(builder_.op("aten::view", {sum}, {sizes_.width}), parameter);
    const int scaled = builder_.op("aten::mul", {gradient, of.weight}, wide());
    const int product = builder_.op("aten::mul", {scaled, of.input}, wide());
    const int along = builder_.op("aten::sum", {product}, one, {"[2]", "True", "None"});
    const int cubed = builder_.op("aten::pow", {of.scale}, one, {"3"});
    const int spread = builder_.op("aten::expand", {builder_.op("aten::mul", {along, cubed}, one)}, wide());
    const int straight = builder_.op("aten::mul", {scaled, of.scale}, wide());
    return builder_.op("aten::sub", {straight, builder_.op("aten::mul", {spread, of.input}, wide())}, wide(), {"1"});
  }

  int heads_of(int x) {
    return builder_.op("aten::transpose", {builder_.op("aten::view", {x}, by_positions())}, by_heads(), {"1", "2"});
  }
  int without_heads(int x) {
    return builder_.op("aten::view", {builder_.op("aten::transpose", {x}, by_positions(), {"1", "2"})}, wide());
  }

  int forward(int x, int layer, std::vector<Layer>& saved) {
    Layer made;
    made.before_attention = normalized(x, weight(layer, 0));
    made.query = linear(made.before_attention.result, weight(layer, 1));
    made.key = linear(made.before_attention.result, weight(layer, 2));
    made.value = linear(made.before_attention.result, weight(layer, 3));
    made.q = heads_of(made.query.result);
    made.k = heads_of(made.key.result);
    made.v = heads_of(made.value.result);
    const std::vector<int> attended =
        builder_.ops("aten::_scaled_dot_product_flash_attention_for_cpu", {made.q, made.k, made.v},
                     {by_heads(), {sizes_.samples, sizes_.heads, sizes_.positions}}, {"0.", "True", "None", "None"});
    made.attended = attended[0];
    made.sums = attended[1];
    made.out = linear(without_heads(made.attended), weight(layer, 4));
    const int middle = builder_.op("aten::add", {x, made.out.result}, wide(), {"1"});
    made.before_hidden = normalized(middle, weight(layer, 5));
    made.gate = linear(made.before_hidden.result, weight(layer, 6));
    made.up = linear(made.before_hidden.result, weight(layer, 7));
    const Shape hidden = builder_.shape(made.gate.result);
    made.gated = builder_.op("aten::silu", {made.gate.result}, hidden);
    made.down = linear(builder_.op("aten::mul", {made.gated, made.up.result}, hidden), weight(layer, 8));
    saved.push_back(made);
    return builder_.op("aten::add", {middle, made.down.result}, wide(), {"1"});
  }

  int backward(int gradient, int layer, const Layer& of) {
    const Shape hidden = builder_.shape(of.gate.result);
    const int into = linear_backward(gradient, of.down, parameter(layer, 8));
    const int to_up = builder_.op("aten::mul", {into, of.gated}, hidden),
              to_gated = builder_.op("aten::mul", {into, of.up.result}, hidden);
    const int to_gate = builder_.op("aten::silu_backward", {to_gated, of.gate.result}, hidden);
    const int from_hidden = builder_.op(
        "aten::add",
        {linear_backward(to_up, of.up, parameter(layer, 7)), linear_backward(to_gate, of.gate, parameter(layer, 6))}, wide(),
        {"1"});
    const int middle =
        builder_.op("aten::add", {gradient, norm_backward(from_hidden, of.before_hidden, parameter(layer, 5))}, wide(), {"1"});
    const int attended = heads_of(linear_backward(middle, of.out, parameter(layer, 4)));
    const std::vector<int> parts = builder_.ops("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
                                                {attended, of.q, of.k, of.v, of.attended, of.sums},
                                                {by_heads(), by_heads(), by_heads()}, {"0.", "True", "none", "None"});
    const int from_query = linear_backward(without_heads(parts[0]), of.query, parameter(layer, 1));
    const int from_key = linear_backward(without_heads(parts[1]), of.key, parameter(layer, 2));
    const int from_value = linear_backward(without_heads(parts[2]), of.value, parameter(layer, 3));
    const int both = builder_.op("aten::add", {from_query, from_key}, wide(), {"1"});
    const int all = builder_.op("aten::add", {both, from_value}, wide(), {"1"});
    return builder_.op("aten::add", {middle, norm_backward(all, of.before_attention, parameter(layer, 0))}, wide(), {"1"});
  }

  LlamaSizes sizes_;
  GraphBuilder builder_;
  std::vector<int> weights_;
};

}  // namespace ordercheck::placing
