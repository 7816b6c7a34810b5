// Declares one check per effect that a transform must show (OwedEffect in stack/transforms.h).
#pragma once

#include "record/item_checks.h"

namespace ordercheck {

// effect.cpp
void show_recompute(Showing& showing, const EffectRuns& runs);
void show_kept(Showing& showing, const EffectRuns& runs);
void show_captured(Showing& showing, const EffectRuns& runs);
void show_moved_numbers(Showing& showing, const EffectRuns& runs);
void show_updates(Showing& showing, const EffectRuns& runs);

// expected_effects.cpp
void show_tensor_parallel(Showing& showing, const EffectRuns& runs);
void show_context_parallel(Showing& showing, const EffectRuns& runs);
void show_expert_parallel(Showing& showing, const EffectRuns& runs);
void show_pipeline(Showing& showing, const EffectRuns& runs);
void show_sharded(Showing& showing, const EffectRuns& runs);
void show_replicated(Showing& showing, const EffectRuns& runs);
void show_placed(Showing& showing, const EffectRuns& runs);

// expected_traffic.cpp: fail if the transform's collectives send more than its upper bound
void bound_sharded(Showing& showing, const EffectRuns& runs);
void bound_replicated(Showing& showing, const EffectRuns& runs);
void bound_tensor_parallel(Showing& showing, const EffectRuns& runs);
void bound_context_parallel(Showing& showing, const EffectRuns& runs);
void bound_pipeline(Showing& showing, const EffectRuns& runs);

}  // namespace ordercheck
