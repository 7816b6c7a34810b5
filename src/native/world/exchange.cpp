#include "native/world/exchange.h"

#include <ATen/ATen.h>

#include "native/arith/stock_operators.h"

namespace ordercheck::ranks {
namespace {

// Reduces the k-th input of all ranks, in rank order and not in arrival order: float addition is not associative. Does not
// round to the grid of exact arithmetic, because a real collective library does not.
at::Tensor reduced(const Rendezvous& meeting, std::size_t k) {
  at::Tensor result = meeting.offers[0]->inputs[k].clone();
  for (std::size_t i = 1; i < meeting.offers.size(); ++i) {
    const Offer& offer = *meeting.offers[i];
    if (offer.reduction == Reduction::sum) {
      result.add_(offer.inputs[k]);
    } else {
      at::maximum_out(result, result, offer.inputs[k]);
    }
  }
  return result;
}

// Returns rows of part `i`, if dim 0 is split into `count` equal parts.
at::Tensor part(const at::Tensor& whole, std::size_t i, std::size_t count) {
  const std::int64_t rows = whole.size(0) / static_cast<std::int64_t>(count);
  return whole.narrow(0, static_cast<std::int64_t>(i) * rows, rows);
}

void gather(const Rendezvous& meeting, std::size_t k) {
  std::vector<at::Tensor> parts;
  for (const auto& offer : meeting.offers) parts.push_back(offer->inputs[k]);
  const at::Tensor whole = at::cat(parts, 0);
  for (const auto& offer : meeting.offers) offer->outputs[k].copy_(whole.view(offer->outputs[k].sizes()));
}

std::int64_t rows_for(const at::Tensor& tensor, const std::vector<std::int64_t>& splits, std::size_t peer, std::size_t count) {
  return splits.empty() ? tensor.size(0) / static_cast<std::int64_t>(count) : splits[peer];
}

void all_to_all(const Rendezvous& meeting) {
  const std::size_t count = meeting.offers.size();
  std::vector<std::int64_t> read(count, 0);  // rows already read from each sender's input
  for (std::size_t to = 0; to < count; ++to) {
    std::int64_t written = 0;
    for (std::size_t from = 0; from < count; ++from) {
      const Offer& sender = *meeting.offers[from];
      const std::int64_t rows = rows_for(sender.inputs[0], sender.input_splits, to, count);
      meeting.offers[to]->outputs[0].narrow(0, written, rows).copy_(sender.inputs[0].narrow(0, read[from], rows));
      read[from] += rows;
      written += rows;
    }
  }
}

}  // namespace

void exchange(const Rendezvous& meeting) {
  const StockOperators unseen;
  const Offer& first = *meeting.offers[0];
  const std::size_t count = meeting.offers.size();
  if (first.operation == Operation::all_to_all) return all_to_all(meeting);
  for (std::size_t k = 0; k < first.inputs.size(); ++k) {
    switch (first.operation) {
      case Operation::all_reduce: {
        const at::Tensor result = reduced(meeting, k);
        for (const auto& offer : meeting.offers) offer->outputs[k].copy_(result);
        break;
      }
      case Operation::reduce_scatter: {
        const at::Tensor result = reduced(meeting, k);
        for (std::size_t i = 0; i < count; ++i) {
          const at::Tensor& output = meeting.offers[i]->outputs[k];
          output.copy_(part(result, i, count).view(output.sizes()));
        }
        break;
      }
      case Operation::all_gather: gather(meeting, k); break;
      case Operation::broadcast: {
        const at::Tensor& source = meeting.offers.at(first.root)->inputs[k];
        for (const auto& offer : meeting.offers)
          if (!offer->outputs[k].is_same(source)) offer->outputs[k].copy_(source);
        break;
      }
      case Operation::send: meeting.offers[1]->outputs[k].copy_(first.inputs[k]); break;
      case Operation::all_to_all:
      case Operation::barrier:
      case Operation::recv:  // offers[0] of a message is the sender's
        break;
    }
  }
}

void zero_outputs(const Offer& offer) {
  const StockOperators unseen;
  for (const at::Tensor& output : offer.outputs) output.zero_();
}

void lengthen_inputs(Offer& offer) {
  const StockOperators unseen;
  // A receiver has no inputs, only an output buffer.
  for (at::Tensor& tensor : offer.operation == Operation::recv ? offer.outputs : offer.inputs) {
    const at::Tensor rows = tensor.dim() == 0 ? tensor.reshape({1}) : tensor;
    std::vector<std::int64_t> one_row = rows.sizes().vec();
    one_row[0] = 1;
    tensor = at::cat({rows, rows.new_zeros(one_row)}, 0);
  }
}

}  // namespace ordercheck::ranks
