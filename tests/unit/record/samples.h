// Messages with every field set to something of its own, for round trips.
#pragma once

#include "record/messages.h"

namespace ordercheck {

inline Case sample_case(const std::string& text = "tp=2,ac=selective,compile@model,fsdp=2 seed=18446744073709551615") {
  return parse_case(text).value();
}

inline Record full_record() {
  return {.case_text = "tp=2,fsdp=2",
          .engine = "native",
          .versions = {"libtorch 2.11.0", "gloo 1"},
          .device = "cpu",
          .ending = Ending::failed,
          .failure = Failure{.phase = Phase::backward,
                             .rank = 3,
                             .module = "layers.0.attention",
                             .operation = "all_gather",
                             .group = "tp",
                             .sequence = 7,
                             .message = "ranks \"disagree\"\nabout\ta shape: \xc3\xa9",
                             .ranks = {"rank 0: ...", "rank 1: ..."}},
          .world_size = 4,
          .steps = {{.loss = {{1}, {0xffffffffffffffff}}, .gradient_norm = {{0x8000000000000000}}}, {}},
          .parameters = {{.name = "layers.0.attention.wq.weight",
                          .shape = {96, 48},
                          .gradient = {{{1, 2}}, {{0xfedcba9876543210, 0}}},
                          .value = {{3, 4}},
                          .changed = true,
                          .frozen = true,
                          .has_gradient = false,
                          .replicas_agree = false},
                         {.name = "norm.weight", .shape = {}, .gradient = {}, .value = {}}},
          .buffers = {{.name = "norm.running_mean", .shape = {4}, .value = {{5, 6}}, .local = true, .replicas_agree = false}},
          .collectives = {{.kind = "all_reduce",
                           .group = "dp_shard",
                           .phase = Phase::optimizer,
                           .count = 5,
                           .bytes = std::int64_t{1} << 53 | 1}},
          .counters = {.operators_recomputed = 1,
                       .matmul_flops = 9223372036854775807,
                       .saved_bytes_peak = 3,
                       .parameter_bytes_peak = 4,
                       .graph_captures = 5,
                       .graph_breaks = 6,
                       .p2p_messages = 7,
                       .graph_step_ns = 8,
                       .graph_exposed_ns = 9,
                       .graph_held_bytes_peak = 10,
                       .graph_buckets = 11},
          .parity_owed = false,
          .range_used = 0.1,
          .notes = {"tp: plan entry matched nothing", ""},
          .trace = {{.step = 2,
                     .phase = Phase::forward,
                     .module = "norm",
                     .shape = {4, 24, 48},
                     .hash = {{5, 6}},
                     .file = "values/0.bin"}},
          .graphs = {{.module = "layers.0",
                      .passes = {"dead_code", "partition"},
                      .shapes = {{2, 3}, {}, {}, {2, 3}},
                      .element_bytes = {8, 8, 8, 4},
                      .view_of = {-1, -1, 1, 0},
                      .inputs = {0},
                      .parameters = {},
                      .saved = {0},
                      .outputs = {1},
                      .tangents = {2},
                      .gradients = {3},
                      .nodes = {{.op = "aten::sum",
                                 .backward = false,
                                 .recomputed = true,
                                 .policy = "must_recompute",
                                 .unshards = true,
                                 .bucket = "layers.0",
                                 .group = "dp_shard",
                                 .ranks = 2,
                                 .arguments = "%0, 1",
                                 .operands = {0},
                                 .results = {1}}}}}};
}

inline Hello full_hello() {
  return {.engine = "native",
          .versions = {"libtorch 2.11.0"},
          .devices = {"cpu"},
          .absent_device = "no CUDA device: no CUDA-capable device is detected",
          .transforms = {{"tp"},
                         {.name = "fsdp", .modes = {""}, .scopes = {"block"}, .options = {{"reshard", {"always", "never"}}}}},
          .models = {"llama"},
          .faults = {"crash"},
          .max_ranks = 16,
          .content_hash = "0123"};
}

inline Run sample_run() {
  return {.id = 7,
          .subject = sample_case(),
          .keep = Keep::values,
          .fault = Fault{.kind = "hang", .rank = 1, .module = "layers.1", .phase = Phase::recompute, .sequence = 4},
          .flight_file = "/somewhere/flight",
          .values_folder = "values"};
}

}  // namespace ordercheck
