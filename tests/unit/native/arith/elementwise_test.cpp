// An element has the same bits wherever it lies: in a whole tensor, in a piece of one, in a strided one.
#include <cmath>

#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

struct Operator {
  const char* name;
  std::function<at::Tensor(const at::Tensor& x, const at::Tensor& y)> compute;
};

class Elementwise : public testing::TestWithParam<Operator> {};

const at::Tensor kX = noise({257}, 1).abs() + 0.1, kY = noise({257}, 2);

TEST_P(Elementwise, IsTheSameWhereverAnElementLies) {
  const at::Tensor stock = GetParam().compute(kX, kY);
  const Exactly exact;
  const at::Tensor whole = GetParam().compute(kX, kY);
  EXPECT_TRUE(at::allclose(whole, stock, 1e-12, 1e-12)) << "it is that operator";
  for (const int64_t first : {0, 1, 6, 200}) {
    for (const int64_t length : {1, 2, 3, 7, 33}) {
      EXPECT_TRUE(same_bits(GetParam().compute(kX.narrow(0, first, length), kY.narrow(0, first, length)),
                            whole.narrow(0, first, length)));
    }
  }
  EXPECT_TRUE(same_bits(GetParam().compute(kX.slice(0, 0, {}, 3), kY.slice(0, 0, {}, 3)), whole.slice(0, 0, {}, 3)));
}

INSTANTIATE_TEST_SUITE_P(
    All, Elementwise,
    testing::Values(
        Operator{"Sigmoid", [](const at::Tensor&, const at::Tensor& y) { return at::sigmoid(y); }},
        Operator{"Silu", [](const at::Tensor&, const at::Tensor& y) { return at::silu(y); }},
        Operator{"SiluBackward", [](const at::Tensor& x, const at::Tensor& y) { return at::silu_backward(x, y); }},
        Operator{"Gelu", [](const at::Tensor&, const at::Tensor& y) { return at::gelu(y); }},
        Operator{"GeluTanh", [](const at::Tensor&, const at::Tensor& y) { return at::gelu(y, "tanh"); }},
        Operator{"GeluBackward", [](const at::Tensor& x, const at::Tensor& y) { return at::gelu_backward(x, y); }},
        Operator{"GeluTanhBackward", [](const at::Tensor& x, const at::Tensor& y) { return at::gelu_backward(x, y, "tanh"); }},
        Operator{"Softplus", [](const at::Tensor&, const at::Tensor& y) { return at::softplus(y); }},
        Operator{"SoftplusBackward",
                 [](const at::Tensor& x, const at::Tensor& y) { return at::softplus_backward(x, y, 1, 20); }},
        Operator{"Exp2", [](const at::Tensor&, const at::Tensor& y) { return at::exp2(y); }},
        Operator{"Mish", [](const at::Tensor&, const at::Tensor& y) { return at::mish(y); }},
        Operator{"MishBackward", [](const at::Tensor& x, const at::Tensor& y) { return at::mish_backward(x, y); }},
        Operator{"Elu", [](const at::Tensor&, const at::Tensor& y) { return at::elu(y); }},
        Operator{"EluBackward",
                 [](const at::Tensor& x, const at::Tensor& y) { return at::elu_backward(x, 1, 1, 1, false, y); }},
        Operator{"Pow", [](const at::Tensor& x, const at::Tensor& y) { return at::pow(x, y); }},
        Operator{"PowOfANumber", [](const at::Tensor&, const at::Tensor& y) { return at::pow(1.7, y); }},
        Operator{"Atan2", [](const at::Tensor& x, const at::Tensor& y) { return at::atan2(x, y); }},
        Operator{"Hypot", [](const at::Tensor& x, const at::Tensor& y) { return at::hypot(x, y); }},
        Operator{"Logaddexp", [](const at::Tensor& x, const at::Tensor& y) { return at::logaddexp(x, y); }},
        Operator{"ComplexProduct",
                 [](const at::Tensor& x,
                    const at::Tensor& y) { return at::view_as_real(at::complex(x, y) * at::complex(y, x)).select(-1, 1); }},
        Operator{"Sqrt", [](const at::Tensor& x, const at::Tensor&) { return at::sqrt(x); }},
        Operator{"SqrtInPlace", [](const at::Tensor& x, const at::Tensor&) { return x.clone().sqrt_(); }},
        Operator{"SigmoidInPlace", [](const at::Tensor&, const at::Tensor& y) { return y.clone().sigmoid_(); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Elementwise, RootsAreThoseOfIeee) {
  const at::Tensor x = noise({20000}, 1).abs();
  const Exactly exact;
  const at::Tensor roots = at::sqrt(x);
  int apart = 0;
  for (int64_t i = 0; i < x.numel(); ++i)
    apart += roots.const_data_ptr<double>()[i] != std::sqrt(x.const_data_ptr<double>()[i]);
  EXPECT_EQ(apart, 0) << "of " << x.numel();
}

TEST(Elementwise, OfFloat32IsStock) {
  const at::Tensor x = kY.to(at::kFloat), stock = at::silu(x);
  const Exactly exact;
  EXPECT_TRUE(same_bits(at::silu(x), stock));
}

TEST(LayerNorm, MayHaveItsTokensInAnyOrder) {
  const at::Tensor x = noise({12, 9}, 1), weight = noise({9}, 2), bias = noise({9}, 3), seed_gradient = noise({12, 9}, 4);
  const auto run = [&](const at::Tensor& order) {
    at::Tensor w = weight.clone().set_requires_grad(true), b = bias.clone().set_requires_grad(true);
    at::Tensor in = x.index_select(0, order).set_requires_grad(true);
    const at::Tensor y = at::layer_norm(in, {9}, w, b, 1e-5);
    y.backward(seed_gradient.index_select(0, order));
    return std::vector<at::Tensor>{y.detach(), in.grad(), w.grad(), b.grad()};
  };
  const at::Tensor order = at::arange(12, at::kLong);
  const auto stock = run(order);
  const Exactly exact;
  const auto forwards = run(order), backwards = run(order.flip(0));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(at::allclose(forwards[i], stock[i], 0, 1e-8));
    EXPECT_TRUE(same_bits(forwards[i], i < 2 ? backwards[i].flip(0) : backwards[i]));
  }
}

TEST(FusedAdamw, RefusesWhatItDoesNotCover) {
  const Exactly exact;
  std::vector<at::Tensor> x{at::ones({2}, at::kDouble)}, steps{at::ones({}, at::kFloat)};
  EXPECT_EQ(refused([&] { at::_fused_adamw_(x, x, x, x, x, steps, 0.1, 0.9, 0.9, 0.1, 1e-8, /*amsgrad=*/true, false); }),
            "aten::_fused_adamw_ with amsgrad has no exact kernel");
}

}  // namespace
}  // namespace ordercheck::ranks
