#include "ranks/mechanism/distributed_experts.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <ATen/ATen.h>

#include "ranks/comm/collectives.h"
#include "ranks/graph/dispatch_mode.h"
#include "ranks/model/moe.h"
#include "ranks/module/rank.h"

namespace ordercheck::ranks {
namespace {

constexpr const char* kAxis = "ep";
constexpr const char* kSplit = "tp";

using Counts = std::vector<int64_t>;

// How the rows of one call travel; from the hook before the experts to the one behind them.
struct Journey {
  Counts sent, received;  // rows by rank of the axis
  at::Tensor order;       // of received rows: sorted by expert
  Counts of_split_ranks;  // rows by rank of the axis that experts are split over, and their order
  at::Tensor split_order;
};

// The values of a small tensor of integers. A graph cannot hold them: reading them breaks it.
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

// Rows come by rank, and within a rank by expert. Of one expert's, those of earlier ranks stay first: by position, so that no
// schedule of threads decides it.
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
  const WithoutDispatchModes unseen;  // to bring it to a device is no operator of the model's
  return made.to(device_now());
}

// Every rank of the axis gets every rank's rows. By an exchange, as ranks have unequal numbers of rows; the copies are put side by
// side and not expanded, so that in backward they are added as they are: an expansion's gradient is a sum, whose terms are rounded.
at::Tensor gather_rows(const at::Tensor& rows, const Counts& of_ranks, const std::string& axis) {
  const int ranks = group_size(axis);
  const std::vector<at::Tensor> copies(ranks, rows);
  return exchange_rows(at::cat(copies, 0), of_ranks, Counts(ranks, rows.size(0)), axis);
}

// The reverse: each rank gets its own rows, added up.
at::Tensor scatter_rows(const at::Tensor& rows, const Counts& of_ranks, const std::string& axis) {
  const int ranks = group_size(axis);
  const int64_t own = of_ranks[group_rank(axis)];
  const auto parts = exchange_rows(rows, Counts(ranks, own), of_ranks, axis).split(own, 0);
  at::Tensor sum = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

// With experts split within, a rank works on the rows of all ranks along that axis: rows by rank, and within a rank by expert.
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
  const auto ranks = static_cast<std::size_t>(group_size(kAxis));
  const at::Tensor& counts = inputs[1];
  const auto experts = static_cast<std::size_t>(counts.size(0)) / ranks;  // of one rank
  const Counts even(ranks, static_cast<int64_t>(experts));
  const at::Tensor arriving = all_to_all(counts, even, even, kAxis);
  const Counts here = values_of(counts), there = values_of(arriving);
  journey.sent.clear(), journey.received.clear();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    journey.sent.push_back(sum_of(here, rank * experts, experts));
    journey.received.push_back(sum_of(there, rank * experts, experts));
  }
  journey.order = order_by_expert(there, ranks, experts);
  const at::Tensor rows = exchange_rows(inputs[0], journey.received, journey.sent, kAxis).index_select(0, journey.order);
  return {rows, arriving.reshape({static_cast<int64_t>(ranks), static_cast<int64_t>(experts)}).sum(0)};
}

at::Tensor combine(const at::Tensor& output, const Journey& journey) {
  return exchange_rows(output.index_select(0, at::argsort(journey.order)), journey.sent, journey.received, kAxis);
}

// The hidden dim: rows of w1 and w3, columns of w2.
int64_t hidden_dim(const std::string& slot) { return slot == "w2" ? 2 : 1; }

ParameterPtr piece_of(const Parameter& whole, const std::string& slot, const ExpertSite& site) {
  std::vector<Placement> placements{{.axis = kAxis, .kind = Placement::Kind::shard, .dim = 0}};
  if (site.split_within) placements.push_back({.axis = kSplit, .kind = Placement::Kind::shard, .dim = hidden_dim(slot)});
  return distribute(whole, placements, site.mesh, site.rank);
}

}  // namespace

void distribute_experts(Module& experts, const ExpertSite& site) {
  const int ranks = degree_of(site.mesh, kAxis);
  const auto slots = experts.parameters();  // a copy: the loop changes it
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
                             [](const auto& slot) { return is_placed_over(slot.second->placements, kAxis); });
}

namespace {

// A power of two, so that biases stay on the grid; large enough to change choices within a few steps.
constexpr double kStep = 0x1p-5;

}  // namespace

void move_expert_biases(const ModulePtr& model, const std::vector<std::string>& axes) {
  const at::NoGradGuard no_grad;
  for (const ModulePtr& module : modules_of(model)) {
    auto* const moe = dynamic_cast<MoE*>(module.get());
    if (!moe) continue;
    at::Tensor counts = moe->tokens_per_expert;
    for (const std::string& axis : axes) counts = all_reduce(counts, axis);
    // Compared as integers: a mean would be rounded.
    const at::Tensor ahead = counts * counts.size(0) - counts.sum();
    moe->bias = moe->bias - at::sign(ahead).to(at::kDouble) * kStep;
    moe->tokens_per_expert.zero_();
  }
}

}  // namespace ordercheck::ranks
