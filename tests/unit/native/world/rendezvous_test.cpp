#include "native/world/rendezvous.h"

#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

Rendezvous meeting_of(std::vector<std::optional<Offer>> offers) {
  Rendezvous meeting;
  meeting.group = "tp";
  meeting.number = 3;
  for (std::size_t i = 0; i < offers.size(); ++i) meeting.ranks.push_back(static_cast<int>(10 + i));
  meeting.offers = std::move(offers);
  return meeting;
}

Offer gather_of(at::IntArrayRef sizes) { return {.operation = Operation::all_gather, .inputs = {numbers(sizes, 0)}}; }

TEST(Rendezvous, SignaturesSayWhatRanksMustAgreeOn) {
  EXPECT_EQ(signature(gather_of({4, 24, 48})), "all_gather float64 [4, 24, 48]");
  EXPECT_EQ(signature({.operation = Operation::all_reduce, .reduction = Reduction::max, .inputs = {numbers({}, 0)}}),
            "all_reduce(max) float64 []");
  EXPECT_EQ(signature({.operation = Operation::all_to_all, .inputs = {numbers({5, 2}, 0, at::kLong)}}),
            "all_to_all int64 [*, 2]");
  EXPECT_EQ(signature({.operation = Operation::reduce_scatter, .inputs = {numbers({1}, 0), numbers({2}, 0)}}),
            "reduce_scatter(sum) float64 [1] float64 [2]");
  EXPECT_EQ(signature({.operation = Operation::barrier}), "barrier");
}

TEST(Rendezvous, ShapesOfSeveralTensorsAreShortened) {
  EXPECT_EQ(shape_text({}), "");
  EXPECT_EQ(shape_text({numbers({2}, 0, at::kBool)}), "bool [2]");
  EXPECT_EQ(shape_text({numbers({2}, 0), numbers({3}, 0), numbers({4}, 0)}), "float64 [2] and 2 more");
}

TEST(Rendezvous, IsCompleteWhenAllCame) {
  EXPECT_FALSE(meeting_of({gather_of({1}), std::nullopt}).complete());
  EXPECT_TRUE(meeting_of({gather_of({1}), gather_of({2})}).complete());
}

TEST(Rendezvous, AgreesUntilTwoThatCameDiffer) {
  EXPECT_FALSE(find_disagreement(meeting_of({gather_of({1}), gather_of({1}), gather_of({1})})));
  EXPECT_FALSE(find_disagreement(meeting_of({std::nullopt, gather_of({1}), std::nullopt})));
  const auto found = find_disagreement(meeting_of({std::nullopt, gather_of({1}), gather_of({1}), gather_of({1, 1})}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 11);
  EXPECT_EQ(found->second, 13);
  EXPECT_EQ(found->message,
            "rank 11 issued all_gather float64 [1] and rank 13 issued all_gather float64 [1, 1] as number 3 on tp");
}

TEST(Rendezvous, ComparesHowManyTensorsAreCoalesced) {
  Offer two = gather_of({1});
  two.inputs.push_back(numbers({1}, 0));
  EXPECT_TRUE(find_disagreement(meeting_of({gather_of({1}), two})));
}

TEST(Rendezvous, LetsAllToAllDifferInRowsOnly) {
  const auto offer = [](int64_t rows, int64_t width, std::vector<int64_t> in, std::vector<int64_t> out) {
    return Offer{.operation = Operation::all_to_all,
                 .inputs = {numbers({rows, width}, 0)},
                 .outputs = {numbers({out.at(0) + out.at(1), width}, 0)},
                 .input_splits = in,
                 .output_splits = out};
  };
  EXPECT_FALSE(find_disagreement(meeting_of({offer(3, 2, {1, 2}, {1, 0}), offer(4, 2, {0, 4}, {2, 4})})));
  EXPECT_TRUE(find_disagreement(meeting_of({offer(3, 2, {1, 2}, {1, 0}), offer(4, 3, {0, 4}, {2, 4})})));
  EXPECT_TRUE(find_disagreement(meeting_of({offer(3, 2, {1, 2}, {1, 0}), offer(4, 2, {0, 4}, {1, 4})})));
  EXPECT_TRUE(find_disagreement(meeting_of({offer(3, 2, {1, 1}, {1, 0}), offer(4, 2, {0, 4}, {1, 4})})));
}

}  // namespace
}  // namespace ordercheck::ranks
