// Collectives on a mesh axis, as functional operators (_c10d_functional::*), so that dispatch modes and capture see them.
//
// `group` is the name of a mesh axis as stack/mesh.h has it ("tp", "dp_shard+cp", "ep"), or "world". On an axis of degree 1
// nothing is sent and the input comes back.
// Inputs need not be contiguous. Every call waits for its result. Errors of the world (mismatch, deadlock, another
// rank's failure) are exceptions.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace ordercheck::ranks {

enum class Reduction { sum, max };

int group_size(const std::string& group);  // 1 when the mesh does not have the axis
int group_rank(const std::string& group);  // this rank's coordinate on the axis

// Not differentiable: for hooks, optimizers and inside autograd functions. Throw where a gradient would be lost.
at::Tensor all_reduce(const at::Tensor& input, const std::string& group, Reduction reduction = Reduction::sum);
at::Tensor all_gather(const at::Tensor& input, int64_t dim, const std::string& group);      // concatenated along dim
at::Tensor reduce_scatter(const at::Tensor& input, int64_t dim, const std::string& group);  // dim % size == 0
at::Tensor broadcast(const at::Tensor& input, int source, const std::string& group);        // source: group rank
// Rows of dim 0: input_rows[i] go to group rank i, output_rows[i] come from it.
at::Tensor all_to_all(const at::Tensor& input, at::IntArrayRef output_rows, at::IntArrayRef input_rows,
                      const std::string& group);

// Point to point: blocks until the peer took it, or gave it. `peer` is a group rank.
void send(const at::Tensor& input, int peer, int tag, const std::string& group);
// The same without waiting: what comes back does, and must be kept until then.
c10::intrusive_ptr<c10d::Work> send_later(const at::Tensor& input, int peer, int tag, const std::string& group);
at::Tensor recv(at::IntArrayRef sizes, at::TensorOptions options, int peer, int tag, const std::string& group);

// Differentiable pairs (Megatron-LM's f and g, and their sequence-parallel forms). Left forward, right backward.
at::Tensor copy_to_group(const at::Tensor& input, const std::string& group);                   // identity | all-reduce
at::Tensor reduce_from_group(const at::Tensor& input, const std::string& group);               // all-reduce | identity
at::Tensor gather_from_group(const at::Tensor& input, int64_t dim, const std::string& group);  // all-gather | reduce-scatter
at::Tensor scatter_to_group(const at::Tensor& input, int64_t dim, const std::string& group);   // reduce-scatter | all-gather
// all_to_all; its gradient goes back the way it came.
at::Tensor exchange_rows(const at::Tensor& input, std::vector<int64_t> output_rows, std::vector<int64_t> input_rows,
                         const std::string& group);

}  // namespace ordercheck::ranks
