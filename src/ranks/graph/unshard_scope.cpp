#include "ranks/graph/unshard_scope.h"

namespace ordercheck::ranks {
namespace {

thread_local const UnshardScope* unsharding = nullptr;

}  // namespace

UnshardScope::UnshardScope(CheckpointPolicy policy_of, std::string bucket_of)
    : outer_(unsharding), policy(policy_of), bucket(std::move(bucket_of)) {
  unsharding = this;
}

UnshardScope::~UnshardScope() { unsharding = outer_; }

const UnshardScope* unsharding_now() { return unsharding; }

}  // namespace ordercheck::ranks
