#include "ranks/graph/unshard_scope.h"

namespace ordercheck::ranks {
namespace {

thread_local std::optional<CheckpointPolicy> unsharding;

}  // namespace

UnshardScope::UnshardScope(CheckpointPolicy policy) : outer_(unsharding) { unsharding = policy; }

UnshardScope::~UnshardScope() { unsharding = outer_; }

std::optional<CheckpointPolicy> unsharding_now() { return unsharding; }

}  // namespace ordercheck::ranks
