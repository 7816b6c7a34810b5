// What the transforms of each family owe to show; one source a family. Which item asks for which stands in effects.cpp.
#pragma once

#include "parity/showing.h"

namespace ordercheck {

// recompute_effects.cpp
void show_recompute(Showing& showing, const EffectRuns& runs);  // something is computed again, and less is saved
void show_kept(Showing& showing, const EffectRuns& runs);       // a policy hands results to the recomputation

// compile_effect.cpp
void show_captured(Showing& showing, const Record& with);  // graphs run the matrix products of what was handed to compile

// model_parallel_effects.cpp
void show_tensor_parallel(Showing& showing, const EffectRuns& runs, int degree);
void show_context_parallel(Showing& showing, const EffectRuns& runs, int degree);  // gathers keys and values, splits the work
void show_pipeline(Showing& showing, const EffectRuns& runs);

// data_parallel_effects.cpp
void show_sharded(Showing& showing, const EffectRuns& runs, int shards, int replicas);  // gathers, scatters, splits the batch
void show_replicated(Showing& showing, const EffectRuns& runs);                         // reduces and splits the batch

// numeric_effects.cpp
void show_moved_numbers(Showing& showing, const EffectRuns& runs);  // losses are others than without it

}  // namespace ordercheck
