// Compiles the function that follows a second time for AVX2; the loader picks one by processor. Both give the same bits: each
// operation rounds by itself, and only exact sums are split differently. Off under sanitizers: the loader would call the
// instrumented resolver before the sanitizer is ready.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ORDERCHECK_WIDE_VECTORS [[gnu::target_clones("avx2", "default")]]
#else
#define ORDERCHECK_WIDE_VECTORS
#endif
