/*
 * compiler.h - what the project asks of the compiler beyond C11.
 */
#ifndef BENCH_BASE_COMPILER_H
#define BENCH_BASE_COMPILER_H

#include <stddef.h>

/* Argument number `f` is the format, and its values begin at number `a`. */
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A function that is rarely called: it is kept out of functions that are called
 * often. */
#define COLD __attribute__((cold, noinline))

/* The slow path beside a fast one, which is faster without it. */
#define NOINLINE __attribute__((noinline))
/* On paths where a call would cost more than what it does. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Data of one thread is kept this far from that of another: the longest cache
 * line of processors of this kind. */
#if defined(__s390x__)
#define CACHE_LINE 256
#elif defined(__aarch64__) || defined(__powerpc64__)
#define CACHE_LINE 128
#else
#define CACHE_LINE 64
#endif
#define CACHE_ALIGNED __attribute__((aligned(CACHE_LINE)))

/* Hide a value from the optimiser on the way in and on the way out. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

/* A function that scripts reach through the FFI; all others are hidden. */
#define SCRIPT_ABI __attribute__((visibility("default"), used))

/* A function that has data races on purpose. */
#define RACES_ON_PURPOSE __attribute__((no_sanitize("thread")))

/*
 * A function that goes over all the memory that a test measures.  The thread
 * sanitizer would keep four times as much for it.
 */
#define GOES_OVER_MEMORY __attribute__((no_sanitize("thread")))

/* Number of elements of an array (not of a pointer). */
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Zero if field `f` of struct `T` has one of the types; otherwise the build
 * breaks.  The second form accepts either of two.  Types cannot have the
 * parentheses that clang-tidy wants around arguments.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define FIELD_IS(T, f, type) \
  (0 * sizeof(char[_Generic(((T *)0)->f, type : 1, default : -1)]))
#define FIELD_IS2(T, f, type1, type2) \
  (0 * sizeof(char[_Generic(((T *)0)->f, type1 : 1, type2 : 1, default : -1)]))
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
