/*
 * fuzz_text.c - a template keeps its length and all but its marks; random
 * strings stay within their limits.
 *
 * Input: eight bytes of seed, two numbers of two bytes, the template.
 */
#include "input.h"
#include "stats/rand/rng.h"
#include "stats/rand/text.h"

static void check_fill(struct rng *rng, const char *format, size_t len)
{
  char *out = malloc(len ? len : 1);
  bool good = true;

  MUST(out);
  text_fill(rng, format, len, out);
  for (size_t i = 0; i < len; i++) {
    if (format[i] == '#')
      good &= out[i] >= '0' && out[i] <= '9';
    else if (format[i] == '@')
      good &= out[i] >= 'a' && out[i] <= 'z';
    else
      good &= out[i] == format[i];
  }
  MUST(good);
  free(out);
}

/* The same draws give the same text when it replaces its template. */
static void check_in_place(struct rng rng, char *format, size_t len)
{
  char *apart = malloc(len ? len : 1);
  struct rng same = rng;

  MUST(apart);
  text_fill(&rng, format, len, apart);
  text_fill(&same, format, len, format);
  MUST(memcmp(apart, format, len) == 0);
  MUST(memcmp(&rng, &same, sizeof(rng)) == 0);
  free(apart);
}

static void check_varstring(struct rng *rng, uint32_t min, uint32_t max)
{
  char *out = malloc(max ? max : 1);
  uint32_t len;

  MUST(out);
  len = text_varstring(rng, out, min, max);
  MUST(len <= max);
  MUST(max == 0 || len >= (min > max ? 1 : min));
  for (uint32_t i = 0; i < len; i++)
    MUST(out[i] >= '0' && out[i] <= 'z');
  free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  struct rng rng;
  uint32_t min, max;
  uint8_t *format;
  size_t len;

  rng_seed(&rng, input_number(&in, 8), RNG_WORKLOAD, 0);
  min = (uint32_t)input_number(&in, 2);
  max = (uint32_t)input_number(&in, 2);
  format = input_bytes(&in, 65536, &len);
  check_fill(&rng, (const char *)format, len);
  check_in_place(rng, (char *)format, len);
  check_varstring(&rng, min, max);
  free(format);
  return 0;
}
