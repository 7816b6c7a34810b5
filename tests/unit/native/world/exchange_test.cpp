#include "native/world/exchange.h"

#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

Rendezvous reduction_of(const std::vector<at::Tensor>& inputs, std::vector<at::Tensor>& outputs) {
  Rendezvous meeting;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    meeting.ranks.push_back(static_cast<int>(i));
    meeting.offers.push_back(Offer{.operation = Operation::all_reduce, .inputs = {inputs[i]}, .outputs = {outputs[i]}});
  }
  return meeting;
}

at::Tensor booleans(std::vector<int64_t> values) { return at::tensor(values).to(at::kBool); }

TEST(Exchange, SumsInTheDtypeThatWasHandedIn) {
  // In float32 2^24 + 1 is 2^24: an accumulation in float64 would give another result.
  const std::vector<at::Tensor> inputs{at::full({1}, 16777216.0, at::kFloat), at::ones({1}, at::kFloat),
                                       at::ones({1}, at::kFloat)};
  std::vector<at::Tensor> outputs{at::empty_like(inputs[0]), at::empty_like(inputs[0]), at::empty_like(inputs[0])};
  exchange(reduction_of(inputs, outputs));
  for (const at::Tensor& output : outputs) EXPECT_TRUE(same_bits(output, inputs[0]));
}

TEST(Exchange, SumsBooleansAsOr) {
  const std::vector<at::Tensor> inputs{booleans({1, 1, 0, 0}), booleans({1, 0, 1, 0})};
  std::vector<at::Tensor> outputs{at::empty_like(inputs[0]), at::empty_like(inputs[0])};
  exchange(reduction_of(inputs, outputs));
  EXPECT_TRUE(same_bits(outputs[1], booleans({1, 1, 1, 0})));
}

TEST(Exchange, MayWriteOverItsInputs) {
  std::vector<at::Tensor> tensors{numbers({3}, 0), numbers({3}, 1), numbers({3}, 2)};
  const at::Tensor sum = tensors[0] + tensors[1] + tensors[2];
  exchange(reduction_of(tensors, tensors));
  for (const at::Tensor& tensor : tensors) EXPECT_TRUE(same_bits(tensor, sum));
}

TEST(Exchange, IsNoPartOfTheAutogradGraph) {
  const std::vector<at::Tensor> inputs{numbers({2}, 0).requires_grad_(), numbers({2}, 1).requires_grad_()};
  std::vector<at::Tensor> outputs{at::empty_like(inputs[0]).detach(), at::empty_like(inputs[0]).detach()};
  exchange(reduction_of(inputs, outputs));
  EXPECT_TRUE(same_bits(outputs[0], numbers({2}, 0) + numbers({2}, 1)));
  EXPECT_FALSE(outputs[0].requires_grad());
}

TEST(Exchange, FaultsZeroOutputsAndLengthenWhatIsHandedIn) {
  Offer offer{.operation = Operation::all_gather, .inputs = {numbers({2, 3}, 0), numbers({}, 0)}, .outputs = {numbers({4}, 0)}};
  zero_outputs(offer);
  EXPECT_TRUE(same_bits(offer.outputs[0], at::zeros({4}, at::kDouble)));
  lengthen_inputs(offer);
  EXPECT_EQ(offer.inputs[0].sizes(), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(offer.inputs[1].sizes(), (std::vector<int64_t>{2}));
  EXPECT_EQ(offer.outputs[0].sizes(), (std::vector<int64_t>{4}));
  Offer room{.operation = Operation::recv, .outputs = {numbers({4}, 0)}};
  lengthen_inputs(room);
  EXPECT_EQ(room.outputs[0].sizes(), (std::vector<int64_t>{5}));
}

}  // namespace
}  // namespace ordercheck::ranks
