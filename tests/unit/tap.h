/*
 * tap.h - the whole test framework: checks that print TAP lines.
 */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failures;

#define OK(cond, what)                                    \
  do {                                                    \
    if (cond) {                                           \
      printf("ok %d - %s\n", ++tap_count, (what));        \
    } else {                                              \
      printf("not ok %d - %s\n", ++tap_count, (what));    \
      printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
      tap_failures++;                                     \
    }                                                     \
  } while (0)

/* Two strings are equal; shows both when they are not. */
#define OK_STR(got, want, what)                                         \
  do {                                                                  \
    const char *tap_got = (got), *tap_want = (want);                    \
    OK(tap_got &&strcmp(tap_got, tap_want) == 0, (what));               \
    if (!tap_got || strcmp(tap_got, tap_want) != 0)                     \
      printf("# got '%s'\n# want '%s'\n", tap_got ? tap_got : "(null)", \
             tap_want);                                                 \
  } while (0)

/* A step of the preparation: if it fails, the checks mean nothing. */
#define MUST(cond)                                                \
  do {                                                            \
    if (!(cond)) {                                                \
      printf("Bail out! %s:%d: %s\n", __FILE__, __LINE__, #cond); \
      exit(1);                                                    \
    }                                                             \
  } while (0)

#define TAP_EXIT() (printf("1..%d\n", tap_count), tap_failures > 0)

#endif
