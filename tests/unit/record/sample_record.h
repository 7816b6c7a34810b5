// A record of the shape that an engine writes, with numbers that are easy to tell apart.
#pragma once

#include <string>

#include "record/record.h"

namespace ordercheck {

inline Record sample_record(int ranks = 1, int steps = 2) {
  Record record{.case_text = "sample", .engine = "fake", .versions = {"fake 1.0"}, .device = "cpu", .world_size = ranks};
  for (int step = 0; step < steps; ++step) {
    StepRecord numbers;
    for (int rank = 0; rank < ranks; ++rank) {
      numbers.loss.push_back(bits_of(4.5 - step));
      numbers.gradient_norm.push_back(bits_of(1.25 + step));
    }
    record.steps.push_back(numbers);
  }
  for (const char* name : {"tok_embeddings.weight", "layers.0.attention.wq.weight", "output.weight"}) {
    ParameterRecord parameter{.name = name, .shape = {4, 3}, .changed = true};
    for (int step = 0; step < steps; ++step)
      parameter.gradient.push_back(hash_of(std::string(name) + " gradient " + std::to_string(step)));
    parameter.value = hash_of(std::string(name) + " value");
    record.parameters.push_back(parameter);
  }
  record.counters = {.matmul_flops = 960, .saved_bytes_peak = 400, .parameter_bytes_peak = 1000};
  return record;
}

inline Record sample_failure(Ending ending, Phase phase, std::string message) {
  Record record{.case_text = "sample", .engine = "fake", .ending = ending};
  record.failure = Failure{.phase = phase, .message = std::move(message)};
  return record;
}

}  // namespace ordercheck
