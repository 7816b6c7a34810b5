// `sac`: selective activation checkpointing by operator. Each block (or every n-th, as `ac` does) is checkpointed, and the
// results of the operators that a policy names are kept instead of computed again.
//
//   policy   families joined by '+': linear (aten::mm), attention (aten::bmm), gather, reduce_scatter, all_reduce;
//            the default is linear+attention+reduce_scatter
//   n        of `linear`, the first of every n is kept; the default is 2, as in torchtitan
#pragma once

#include "ranks/transform/transform.h"

namespace ordercheck::ranks {

Transform sac_transform();

}  // namespace ordercheck::ranks
