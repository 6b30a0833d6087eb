/*
 * compiler.h - compiler extensions beyond C11.
 */
#ifndef BENCH_BASE_COMPILER_H
#define BENCH_BASE_COMPILER_H

/* Argument `f` is the format; its values begin at argument `a`. */
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define COLD __attribute__((cold, noinline))

#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The longest cache line of this kind of CPU: the distance between data of
 * different threads. */
#if defined(__s390x__)
#define CACHE_LINE 256
#elif defined(__aarch64__) || defined(__powerpc64__)
#define CACHE_LINE 128
#else
#define CACHE_LINE 64
#endif
#define CACHE_ALIGNED __attribute__((aligned(CACHE_LINE)))

#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

/* Scripts call the function through the FFI; all others are hidden. */
#define SCRIPT_ABI __attribute__((visibility("default"), used))

#define RACES_ON_PURPOSE __attribute__((no_sanitize("thread")))

/* For functions that go over all measured memory: the thread sanitizer would
 * keep four times as much. */
#define GOES_OVER_MEMORY __attribute__((no_sanitize("thread")))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Zero if field `f` of struct `T` has the type (FIELD_IS2: either type);
 * otherwise the build breaks. Types cannot have the parentheses that clang-tidy
 * wants around arguments.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define FIELD_IS(T, f, type) \
  (0 * sizeof(char[_Generic(((T *)0)->f, type : 1, default : -1)]))
#define FIELD_IS2(T, f, type1, type2) \
  (0 * sizeof(char[_Generic(((T *)0)->f, type1 : 1, type2 : 1, default : -1)]))
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
