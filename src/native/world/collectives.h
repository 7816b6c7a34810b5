// Provides collectives on a mesh axis as functional operators (_c10d_functional::*), visible to dispatch modes and capture.
//
// `group` is a mesh axis of stack/mesh.h ("tp", "dp_shard+cp", "ep") or "world". On an axis of degree 1, nothing is sent and
// the input is returned. Inputs need not be contiguous. Every call also waits for its result. If the world ends (ranks disagree
// on a collective, deadlock, another rank failed), the waiting call throws.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace ordercheck::ranks {

// The axis over which data parallelism shards or reduces experts: its ranks have the same experts.
inline constexpr const char* kSameExperts = "edp";

enum class Reduction { sum, max };

int group_size(const std::string& group);  // 1 if the mesh does not have the axis
int group_rank(const std::string& group);  // this rank's coordinate on the axis

// Not differentiable: use them in hooks, optimizers and autograd functions. They throw if the input requires grad in grad mode,
// because its gradient would be lost.
at::Tensor all_reduce(const at::Tensor& input, const std::string& group, Reduction reduction = Reduction::sum);
at::Tensor all_gather(const at::Tensor& input, int64_t dim, const std::string& group);      // concatenated along dim
at::Tensor reduce_scatter(const at::Tensor& input, int64_t dim, const std::string& group);  // dim % size == 0
at::Tensor broadcast(const at::Tensor& input, int source, const std::string& group);        // source: group rank
// Exchanges rows of dim 0: sends input_rows[i] rows to group rank i and receives output_rows[i] from it.
at::Tensor all_to_all(const at::Tensor& input, at::IntArrayRef output_rows, at::IntArrayRef input_rows,
                      const std::string& group);

// Point to point: send() blocks until the peer has called recv(), and recv() until the peer has called send(). `peer` is a
// group rank.
void send(const at::Tensor& input, int peer, int tag, const std::string& group);
// Sends without blocking. Keep the returned work until its wait() returns.
c10::intrusive_ptr<c10d::Work> send_later(const at::Tensor& input, int peer, int tag, const std::string& group);
at::Tensor recv(at::IntArrayRef sizes, at::TensorOptions options, int peer, int tag, const std::string& group);

// Differentiable: each line names the collective of forward | that of backward. Megatron-LM's f and g and their
// sequence-parallel forms.
at::Tensor copy_to_group(const at::Tensor& input, const std::string& group);                   // identity | all-reduce
at::Tensor reduce_from_group(const at::Tensor& input, const std::string& group);               // all-reduce | identity
at::Tensor gather_from_group(const at::Tensor& input, int64_t dim, const std::string& group);  // all-gather | reduce-scatter
at::Tensor scatter_to_group(const at::Tensor& input, int64_t dim, const std::string& group);   // reduce-scatter | all-gather
// all_to_all, differentiable: backward sends each row's gradient back to the rank that sent the row.
at::Tensor exchange_rows(const at::Tensor& input, std::vector<int64_t> output_rows, std::vector<int64_t> input_rows,
                         const std::string& group);

}  // namespace ordercheck::ranks
