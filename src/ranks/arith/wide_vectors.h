// Before a function with a hot loop: it is compiled a second time for wider vectors, which the processor has or has not. The
// bits are the same, as each operation rounds by itself and no sum is cut otherwise but where it is exact.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define ORDERCHECK_WIDE_VECTORS [[gnu::target_clones("avx2", "default")]]
#else
#define ORDERCHECK_WIDE_VECTORS
#endif
