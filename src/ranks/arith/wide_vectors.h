// Before a function with a hot loop: it is compiled a second time for wider vectors, which the processor has or has not. The
// bits are the same, as each operation rounds by itself and no sum is cut otherwise but where it is exact. Not under a sanitizer: which
// of the two is called is decided while the program is loaded, before the sanitizer is ready for a call.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ORDERCHECK_WIDE_VECTORS [[gnu::target_clones("avx2", "default")]]
#else
#define ORDERCHECK_WIDE_VECTORS
#endif
