// The effects that transforms owe (OwedEffect in stack/transforms.h), one function each.
#pragma once

#include "parity/showing.h"

namespace ordercheck {

// effect.cpp
void show_recompute(Showing& showing, const EffectRuns& runs);
void show_kept(Showing& showing, const EffectRuns& runs);
void show_captured(Showing& showing, const EffectRuns& runs);
void show_moved_numbers(Showing& showing, const EffectRuns& runs);
void show_updates(Showing& showing, const EffectRuns& runs);

// parallel_effects.cpp
void show_tensor_parallel(Showing& showing, const EffectRuns& runs);
void show_context_parallel(Showing& showing, const EffectRuns& runs);
void show_expert_parallel(Showing& showing, const EffectRuns& runs);
void show_pipeline(Showing& showing, const EffectRuns& runs);
void show_sharded(Showing& showing, const EffectRuns& runs);
void show_replicated(Showing& showing, const EffectRuns& runs);

// owed_traffic.cpp: what they may send at most
void bound_sharded(Showing& showing, const EffectRuns& runs);
void bound_replicated(Showing& showing, const EffectRuns& runs);
void bound_tensor_parallel(Showing& showing, const EffectRuns& runs);
void bound_context_parallel(Showing& showing, const EffectRuns& runs);
void bound_pipeline(Showing& showing, const EffectRuns& runs);

}  // namespace ordercheck
