/*
 * Random strings: which characters, how often, and nothing else touched.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "stats/rand/rng.h"
#include "stats/rand/text.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

static void check_symbols(uint64_t seed, char symbol, char first, size_t kinds)
{
  enum {
    LEN = 10,
    STRINGS = 100000
  };
  static uint64_t pair[26 * 26], place[LEN][26];
  static double share[26 * 26];
  uint64_t count[26] = { 0 };
  char format[LEN], out[LEN];
  bool inside = true, even = true;
  struct rng rng;

  memset(pair, 0, sizeof(pair));
  memset(place, 0, sizeof(place));
  memset(format, symbol, sizeof(format));
  rng_seed(&rng, seed, RNG_WORKLOAD, 0);
  for (int i = 0; i < STRINGS; i++) {
    size_t before = kinds;

    text_fill(&rng, format, LEN, out);
    for (int at = 0; at < LEN; at++) {
      const size_t x = (size_t)(unsigned char)out[at] - (unsigned char)first;

      if (x >= kinds) {
        inside = false;
        continue;
      }
      count[x]++;
      place[at][x]++;
      if (before < kinds)
        pair[before * kinds + x]++;
      before = x;
    }
  }
  for (size_t i = 0; i < kinds * kinds; i++)
    share[i] = 1 / (double)(kinds * kinds);
  for (int at = 0; at < LEN; at++)
    even = even && CHI2_OK(chi2_even(place[at], kinds));
  OK(inside, "only the wanted characters");
  OK(CHI2_OK(chi2_even(count, kinds)), "all of them equally often");
  OK(even, "at every place");
  OK(CHI2_OK(chi2_test(pair, share, kinds * kinds)), "independent of the last");
}

/*
 * Checks every format of up to 40 bytes: `out` follows it and ends where it
 * ends.
 */
static void check_formats(void)
{
  static const char bytes[] = "#@#@ab-#@\\\"!\"$?A\xA3\xC0\x23z";
  char format[40], out[42];
  bool follows = true, exact = true;
  struct rng rng;

  rng_seed(&rng, 1, RNG_WORKLOAD, 0);
  for (int turn = 0; turn < 20000; turn++) {
    const size_t len = (size_t)rng_below(&rng, sizeof(format) + 1);

    for (size_t i = 0; i < len; i++)
      format[i] = bytes[rng_below(&rng, sizeof(bytes))]; /* also a NUL */
    memset(out, 1, sizeof(out));
    text_fill(&rng, format, len, out + 1);
    exact = exact && out[0] == 1 && out[1 + len] == 1;
    for (size_t i = 0; i < len; i++) {
      const int c = (unsigned char)out[1 + i];

      if (format[i] == '#')
        follows = follows && c >= '0' && c <= '9';
      else if (format[i] == '@')
        follows = follows && c >= 'a' && c <= 'z';
      else
        follows = follows && c == (unsigned char)format[i];
    }
  }
  OK(follows, "digits for #, letters for @, the rest stays");
  OK(exact, "exactly the length of the format is written");
}

/* Formats with and without letters use different code for the same digits. */
static void check_ways(void)
{
  enum {
    LEN = 48 /* before the block with the letter */
  };
  char format[LEN + 1], quick[LEN], general[LEN + 1];
  bool same = true;
  struct rng rng;

  rng_seed(&rng, 5, RNG_WORKLOAD, 0);
  for (int turn = 0; turn < 20000; turn++) {
    struct rng again;

    for (int i = 0; i < LEN; i++)
      format[i] = rng_below(&rng, 12) == 0 ? '-' : '#';
    format[LEN] = '@';
    again = rng;
    text_fill(&again, format, LEN, quick);
    text_fill(&rng, format, LEN + 1, general);
    same = same && memcmp(quick, general, LEN) == 0;
  }
  OK(same, "letters elsewhere do not change the digits");
}

static void check_example(void)
{
  const char *format = "ab#-@@X##";
  char out[10] = "", in_place[10] = "ab#-@@X##";
  struct rng rng, again;

  rng_seed(&rng, 9, RNG_WORKLOAD, 0);
  again = rng;
  text_fill(&rng, format, strlen(format), out);
  OK(memcmp(out, "ab", 2) == 0 && isdigit((unsigned char)out[2]) &&
       out[3] == '-' && islower((unsigned char)out[4]) &&
       islower((unsigned char)out[5]) && out[6] == 'X' &&
       isdigit((unsigned char)out[7]) && isdigit((unsigned char)out[8]),
     "ab#-@@X##");
  text_fill(&again, in_place, strlen(in_place), in_place);
  OK_STR(in_place, out, "the result may replace the format");
  OK(rng_next(&rng) == rng_next(&again), "the stream moved on alike");
}

/*
 * 2^64 draws cannot be distributed evenly over 10^16 or 26^8 texts.  The lowest
 * draw is one of those to reject, which are too rare for counting to show.
 */
static void check_rejection(void)
{
  static const char *const format[] = { "################", "@@@@@@@@" };
  struct rng rng = { { 1, 0 } }, next;
  char out[16], want[16];

  rng.s[1] = rng_rotl(-rng.s[0], 64 - 17) - rng.s[0];
  next = rng;
  OK(rng_next(&next) == 0, "a stream whose first draw is 0");
  for (size_t i = 0; i < ARRAY_SIZE(format); i++) {
    struct rng from = rng, after = next;
    const size_t len = strlen(format[i]);

    text_fill(&from, format[i], len, out);
    text_fill(&after, format[i], len, want);
    OK(memcmp(out, want, len) == 0, "its first draw is not used");
  }
}

static void check_varstring(uint64_t seed)
{
  static uint64_t length[11], kind[75], last[75];
  bool inside = true, exact = true;
  struct rng rng;

  memset(length, 0, sizeof(length));
  memset(kind, 0, sizeof(kind));
  memset(last, 0, sizeof(last));
  rng_seed(&rng, seed, RNG_WORKLOAD, 0);
  for (int i = 0; i < 100000; i++) {
    char out[16];
    uint32_t len;

    memset(out, 1, sizeof(out));
    len = text_varstring(&rng, out, 5, 15);
    inside = inside && len >= 5 && len <= 15;
    if (!inside)
      break;
    length[len - 5]++;
    for (uint32_t at = 0; at < len; at++) {
      const size_t x = (size_t)(unsigned char)out[at] - 48;

      inside = inside && x < 75;
      kind[x % 75]++;
    }
    last[(unsigned char)(out[len - 1] - 48) % 75]++;
    exact = exact && out[len] == 1;
  }
  OK(inside, "varstring: lengths 5..15, characters 48..122");
  OK(exact, "varstring writes what it returns");
  OK(CHI2_OK(chi2_even(length, 11)), "all lengths equally often");
  OK(CHI2_OK(chi2_even(kind, 75)), "all characters equally often");
  OK(CHI2_OK(chi2_even(last, 75)), "in the last place, too");
}

static void check_varstring_ends(void)
{
  char out[20] = "";
  bool short_one = false, long_one = false, inside = true;
  struct rng rng;

  rng_seed(&rng, 3, RNG_WORKLOAD, 0);
  OK(text_varstring(&rng, out, 0, 0) == 0, "max = 0: nothing");
  OK(text_varstring(&rng, out, 9, 0) == 0, "whatever min is");
  OK(text_varstring(&rng, out, 17, 17) == 17, "min = max");
  for (int i = 0; i < 1000; i++) {
    const uint32_t len = text_varstring(&rng, out, 9, 3);

    short_one = short_one || len == 1;
    long_one = long_one || len == 3;
    inside = inside && len >= 1 && len <= 3;
  }
  OK(inside && short_one && long_one, "min above max counts as 1");
}

int main(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(check_seeds); i++) {
    check_symbols(check_seeds[i], '#', '0', 10);
    check_symbols(check_seeds[i], '@', 'a', 26);
    check_varstring(check_seeds[i]);
  }
  check_example();
  check_rejection();
  check_formats();
  check_ways();
  check_varstring_ends();
  return TAP_EXIT();
}
