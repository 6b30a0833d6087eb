/*
 * test_scramble.c - permutations of any size, and YCSB's zipfian numbers.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "stats/rand/dist.h"
#include "stats/rand/rng.h"
#include "stats/rand/scramble.h"
#include "tests/unit/rand_check.h"
#include "tests/unit/tap.h"

#define SIZE_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Does every number below n occur once, and does the way back lead back? */
static bool is_permutation(uint64_t key, uint64_t n)
{
  unsigned char *seen = calloc(n, 1);
  struct scramble s;
  bool good = seen != NULL;

  scramble_init(&s, key, n);
  for (uint64_t x = 0; good && x < n; x++) {
    const uint64_t y = scramble(&s, x);

    good = y < n && !seen[y] && scramble_back(&s, y) == x;
    if (good)
      seen[y] = 1;
  }
  free(seen);
  return good;
}

static void test_permutations(void)
{
  static const uint64_t large[] = { 1000003, (UINT64_C(1) << 20) + 1 };
  bool good = true;

  for (uint64_t n = 1; n <= 600; n++)
    good = good && is_permutation(n * 7, n);
  OK(good, "all sizes up to 600 are permuted");
  for (size_t i = 0; i < SIZE_OF(large); i++)
    OK(is_permutation(42, large[i]), "large odd sizes are permuted");
}

static void test_huge(void)
{
  static const uint64_t sizes[] = { UINT64_C(1) << 62, (UINT64_C(1) << 62) - 1,
                                    (UINT64_C(1) << 61) + 1 };
  bool good = true;

  for (size_t i = 0; i < SIZE_OF(sizes); i++) {
    const uint64_t n = sizes[i];
    struct scramble s;

    scramble_init(&s, 42, n);
    for (uint64_t x = 0; x < 10000; x++) {
      const uint64_t at = x % 2 ? n - 1 - x : x;
      const uint64_t y = scramble(&s, at);

      good = good && y < n && scramble_back(&s, y) == at;
    }
  }
  OK(good, "sizes of 62 bits have a way back");
}

/* Each place of each number is equally likely if the key is random. */
static void test_keys(void)
{
  enum {
    N = 13,
    KEYS = 20000
  };

  for (size_t seed = 0; seed < SIZE_OF(check_seeds); seed++) {
    uint64_t count[N] = { 0 }, next[N] = { 0 };

    for (uint64_t i = 0; i < KEYS; i++) {
      struct scramble s;

      scramble_init(&s, rng_mix(check_seeds[seed] + i), N);
      count[scramble(&s, 5)]++;
      next[(scramble(&s, 6) + N - scramble(&s, 5)) % N]++;
    }
    OK(CHI2_OK(chi2_even(count, N)), "a number goes to any place");
    OK(next[0] == 0 && CHI2_OK(chi2_even(next + 1, N - 1)),
       "and the next one to any other");
  }
}

/* Computed by a program in another language from the definition. */
static const struct {
  double u;
  uint64_t rank, items, item;
} java[] = {
  { 0, UINT64_C(0), 1000, 211 },
  { 0x1.fffffffffffffp-1, UINT64_C(10000000001), 2, 1 },
  { 0x1.0000000000000p-53, UINT64_C(0), 2, 1 },
  { 0x1.34d6a161e4f76p-5, UINT64_C(0), 1000000001, 382595357 },
  { 0x1.35a858793dd98p-5, UINT64_C(1), 1001, 610 },
  { 0x1.d07c84b5dcc64p-5, UINT64_C(1), 1, 0 },
  { 0x1.d14e3bcd35a86p-5, UINT64_C(1), 1000, 620 },
  { 0x1.0000000000000p-1, UINT64_C(134552), 1001, 367 },
  { 0x1.592a5540926dap-2, UINT64_C(2605), 1000001, 600320 },
  { 0x1.27029ffd161a0p-6, UINT64_C(0), 1000000001, 382595357 },
  { 0x1.929fdb0213c2ep-1, UINT64_C(96667321), 1000000001, 547201970 },
  { 0x1.b7b27a66662a2p-2, UINT64_C(24818), 1000001, 98034 },
  { 0x1.cad10d257f36cp-1, UINT64_C(1076512733), 1, 0 },
  { 0x1.6fecabc402d64p-1, UINT64_C(21186726), 1001, 163 },
  { 0x1.0a52fb0e2d0efp-1, UINT64_C(216911), 2, 0 },
  { 0x1.f7f96d8c1402dp-1, UINT64_C(7166404870), 1000000001, 626655989 },
  { 0x1.ae644f4103e3ap-2, UINT64_C(19924), 1000000001, 467150857 },
  { 0x1.1b182369ff28bp-1, UINT64_C(468880), 1000, 919 },
  { 0x1.aace32b77a474p-3, UINT64_C(103), 1001, 309 },
  { 0x1.c7756706a1566p-2, UINT64_C(35964), 2, 1 },
  { 0x1.87fb7d3777a9dp-1, UINT64_C(60837002), 1, 0 },
  { 0x1.afbf9dbb05aaep-2, UINT64_C(20573), 1000, 80 },
  { 0x1.b64e2582c8e3cp-3, UINT64_C(119), 1000000001, 390697032 },
  { 0x1.7851ed1ef85e7p-1, UINT64_C(30653411), 1000000001, 901265238 },
  { 0x1.bfaab5e128521p-1, UINT64_C(670377626), 1000, 417 },
  { 0x1.346a626cb5f18p-1, UINT64_C(1484931), 1, 0 },
  { 0x1.dadfbfa7289a4p-3, UINT64_C(187), 1000001, 439137 },
  { 0x1.adf0c8e30f690p-4, UINT64_C(7), 1000000001, 674390192 },
  { 0x1.a30ce9f9c17d4p-1, UINT64_C(196733876), 1001, 861 },
  { 0x1.32434b5305befp-1, UINT64_C(1347000), 1001, 595 },
  { 0x1.1096563a4f846p-2, UINT64_C(445), 1001, 725 },
  { 0x1.7f4291866ff10p-5, UINT64_C(1), 2, 0 },
  { 0x1.7d1b20e4be6dap-2, UINT64_C(6175), 1001, 949 },
  { 0x1.176e6b48821a4p-3, UINT64_C(16), 2, 1 },
  { 0x1.5dd13e6710ad0p-4, UINT64_C(4), 1000, 769 },
  { 0x1.645ba9017f056p-2, UINT64_C(3411), 1, 0 },
  { 0x1.df14609c90ff5p-1, UINT64_C(2531457303), 1, 0 },
  { 0x1.70da6f23f83a3p-1, UINT64_C(22071866), 1000001, 76924 },
  { 0x1.41937f281e46ep-1, UINT64_C(2689377), 1000001, 533420 },
  { 0x1.3ebee5d3018d7p-1, UINT64_C(2367578), 1001, 225 },
  { 0x1.c771bcac05be3p-1, UINT64_C(933053731), 1000001, 854196 },
  { 0x1.c6862c2597f50p-4, UINT64_C(8), 1001, 436 },
  { 0x1.fb616f5518ae8p-1, UINT64_C(8256074984), 1001, 275 },
  { 0x1.09c2ca033ccc0p-7, UINT64_C(0), 1, 0 },
  { 0x1.7189396370d9bp-1, UINT64_C(22745828), 1000000001, 451255499 },
  { 0x1.3000a549c3c1ap-2, UINT64_C(960), 1000001, 669800 },
  { 0x1.caee251a3cbecp-3, UINT64_C(153), 1000001, 816755 },
  { 0x1.f3e57b28f6585p-1, UINT64_C(6047745404), 1001, 73 },
};

static void test_java(void)
{
  struct zipf_java z;
  uint64_t sum = 0;
  bool ranks = true, items = true;

  zipf_java_init(&z);
  OK(zipf_java_hash(0) == UINT64_C(6284781860667377211) &&
       zipf_java_hash(1) == UINT64_C(8517097267634966620),
     "the hash");
  for (size_t i = 0; i < SIZE_OF(java); i++) {
    ranks = ranks && zipf_java_rank(&z, java[i].u) == java[i].rank;
    items = items &&
            zipf_java_item(&z, java[i].u, java[i].items) == java[i].item;
  }
  OK(ranks, "ranks are those of YCSB");
  OK(items, "items are those of YCSB");
  for (uint64_t i = 0; i < 100000; i++) {
    const double u = (double)(i * RNG_GAMMA >> 11) * 0x1p-53;

    sum = sum * 31 + zipf_java_item(&z, u, 1000001);
  }
  OK(sum == UINT64_C(16065260734905946379), "100,000 items are those of YCSB");
}

int main(void)
{
  test_permutations();
  test_huge();
  test_keys();
  test_java();
  return TAP_EXIT();
}
