#include "native/transform/distributed_experts.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <ATen/ATen.h>

#include "native/graph/dispatch_mode.h"
#include "native/module/moe.h"
#include "native/module/rank.h"
#include "native/world/collectives.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kExpertAxis = "ep";
constexpr const char* kSplit = "tp";

using Counts = std::vector<int64_t>;

// Where the rows (tokens) of one call of the experts went. The pre-hook fills it when it sends rows to their experts; the
// post-hook reads it to send the results back.
struct Journey {
  Counts sent, received;   // rows sent to, and received from, each rank of ep
  at::Tensor order;        // index that sorts the received rows by expert
  Counts of_split_ranks;   // number of rows that each tp rank had before they were gathered over tp
  at::Tensor split_order;  // index that sorts the rows gathered over tp by expert
};

// Copies an integer tensor of row counts to the host. Its values are data-dependent, so a capture ends here with a graph break.
Counts values_of(const at::Tensor& integers) {
  Counts values;
  const at::Tensor flat = integers.reshape({-1});
  for (int64_t i = 0; i < flat.numel(); ++i) values.push_back(flat[i].item<int64_t>());
  return values;
}

int64_t sum_of(const Counts& counts, std::size_t first, std::size_t length) {
  const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(first);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(length), int64_t{0});
}

// Returns the index that sorts rows by expert, then by sending rank. They arrive sorted by sending rank, then by expert.
// Deterministic, so that thread scheduling does not matter.
at::Tensor order_by_expert(const Counts& by_rank_and_expert, std::size_t ranks, std::size_t experts) {
  Counts starts(by_rank_and_expert.size());
  std::exclusive_scan(by_rank_and_expert.begin(), by_rank_and_expert.end(), starts.begin(), int64_t{0});
  Counts order;
  for (std::size_t expert = 0; expert < experts; ++expert) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::size_t at = rank * experts + expert;
      for (int64_t row = 0; row < by_rank_and_expert[at]; ++row) order.push_back(starts[at] + row);
    }
  }
  const at::Tensor made = at::tensor(order, at::kLong);
  const WithoutDispatchModes unseen;  // the copy to the device is not an operator of the model
  return made.to(device_now());
}

// An all-gather of rows over `axis`, by all-to-all because ranks have different row counts (`of_ranks`). Concatenates copies
// instead of expanding: the gradient of an expansion is a sum, which rounds its terms.
at::Tensor gather_rows(const at::Tensor& rows, const Counts& of_ranks, const std::string& axis) {
  const int ranks = group_size(axis);
  const std::vector<at::Tensor> copies(ranks, rows);
  return exchange_rows(at::cat(copies, 0), of_ranks, Counts(ranks, rows.size(0)), axis);
}

// The reverse, a reduce-scatter: each rank receives its own rows, summed over all ranks.
at::Tensor scatter_rows(const at::Tensor& rows, const Counts& of_ranks, const std::string& axis) {
  const int ranks = group_size(axis);
  const int64_t own = of_ranks[group_rank(axis)];
  const auto parts = exchange_rows(rows, Counts(ranks, own), of_ranks, axis).split(own, 0);
  at::Tensor sum = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

// If experts are also split over tp, a rank computes its part of each expert for the rows of all tp ranks. Gathers those rows
// and sorts them by expert.
Tensors gather_over_split(Tensors inputs, Journey& journey) {
  const at::Tensor counts = all_gather(inputs[1].unsqueeze(0), 0, kSplit);
  journey.of_split_ranks = values_of(counts.sum(1));
  const at::Tensor rows = gather_rows(inputs[0], journey.of_split_ranks, kSplit);
  journey.split_order =
      order_by_expert(values_of(counts), static_cast<std::size_t>(counts.size(0)), static_cast<std::size_t>(counts.size(1)));
  return {rows.index_select(0, journey.split_order), counts.sum(0)};
}

at::Tensor scatter_over_split(const at::Tensor& output, const Journey& journey) {
  return scatter_rows(output.index_select(0, at::argsort(journey.split_order)), journey.of_split_ranks, kSplit);
}

Tensors dispatch(Tensors inputs, Journey& journey) {
  const auto ranks = static_cast<std::size_t>(group_size(kExpertAxis));
  const at::Tensor& counts = inputs[1];
  const auto experts = static_cast<std::size_t>(counts.size(0)) / ranks;  // per rank
  const Counts even(ranks, static_cast<int64_t>(experts));
  const at::Tensor arriving = all_to_all(counts, even, even, kExpertAxis);
  const Counts here = values_of(counts), there = values_of(arriving);
  journey.sent.clear(), journey.received.clear();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    journey.sent.push_back(sum_of(here, rank * experts, experts));
    journey.received.push_back(sum_of(there, rank * experts, experts));
  }
  journey.order = order_by_expert(there, ranks, experts);
  const at::Tensor rows = exchange_rows(inputs[0], journey.received, journey.sent, kExpertAxis).index_select(0, journey.order);
  return {rows, arriving.reshape({static_cast<int64_t>(ranks), static_cast<int64_t>(experts)}).sum(0)};
}

at::Tensor combine(const at::Tensor& output, const Journey& journey) {
  return exchange_rows(output.index_select(0, at::argsort(journey.order)), journey.sent, journey.received, kExpertAxis);
}

// Returns the dim of an expert weight that is the hidden dim: rows of w1 and w3, columns of w2.
int64_t hidden_dim(const std::string& slot) { return slot == "w2" ? 2 : 1; }

ParameterPtr piece_of(const Parameter& whole, const std::string& slot, const ExpertSite& site) {
  std::vector<Placement> placements{{.axis = kExpertAxis, .kind = Placement::Kind::shard, .dim = 0}};
  if (site.split_within) placements.push_back({.axis = kSplit, .kind = Placement::Kind::shard, .dim = hidden_dim(slot)});
  return distribute(whole, placements, site.mesh, site.rank);
}

}  // namespace

void distribute_experts(Module& experts, const ExpertSite& site) {
  const int ranks = degree_of(site.mesh, kExpertAxis);
  const auto slots = experts.parameters();  // a copy: the loop modifies the original
  for (const auto& [slot, whole] : slots) {
    TORCH_CHECK(whole->full_shape[0] % ranks == 0, "expert parallelism over ", ranks,
                " ranks: expected a number of experts that ", ranks, " divides, got ", whole->full_shape[0]);
    experts.set_parameter(slot, piece_of(*whole, slot, site));
  }
  auto journey = std::make_shared<Journey>();
  experts.add_pre_hook([site, journey](Module&, Tensors inputs) {
    inputs = dispatch(std::move(inputs), *journey);
    return site.split_within ? gather_over_split(std::move(inputs), *journey) : inputs;
  });
  experts.add_post_hook([site, journey](Module&, const Tensors&, at::Tensor output) {
    if (site.split_within) output = scatter_over_split(output, *journey);
    return combine(output, *journey);
  });
}

bool holds_distributed_experts(const Module& module) {
  return std::ranges::any_of(module.parameters(),
                             [](const auto& slot) { return is_placed_over(slot.second->placements, kExpertAxis); });
}

namespace {

// The step of the routing bias. A power of two, so that biases stay on the grid; large enough to change choices within a few
// steps.
constexpr double kStep = 0x1p-5;

}  // namespace

void move_expert_biases(const ModulePtr& model, const std::vector<std::string>& axes) {
  const at::NoGradGuard no_grad;
  for (const ModulePtr& module : modules_of(model)) {
    auto* const moe = dynamic_cast<MoE*>(module.get());
    if (!moe) continue;
    at::Tensor counts = moe->tokens_per_expert;
    for (const std::string& axis : axes) counts = all_reduce(counts, axis);
    // Compare count * experts with the total of counts in integers: the mean count would round.
    const at::Tensor ahead = counts * counts.size(0) - counts.sum();
    moe->bias = moe->bias - at::sign(ahead).to(at::kDouble) * kStep;
    moe->tokens_per_expert.zero_();
  }
}

}  // namespace ordercheck::ranks
