/*
 * test_mem.c - allocations with checked sizes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tests/unit/tap.h"

static bool all_zero(const unsigned char *p, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    if (p[i] != 0)
      return false;
  }
  return true;
}

static void test_aligned(void)
{
  static const size_t align[] = { 8, 64, 4096 };
  static const size_t count[] = { 0, 1, 7, 1000 };

  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 4; k++) {
      unsigned char *p = mem_aligned(count[k], 12, align[i]);

      OK(p && (uintptr_t)p % align[i] == 0, "aligned");
      OK(p && all_zero(p, count[k] * 12), "and zero");
      free(p);
    }
  }
}

static void test_too_much(void)
{
  OK(mem_aligned(SIZE_MAX / 2, 3, 64) == NULL, "a product that overflows");
  OK(mem_aligned(SIZE_MAX, 1, 64) == NULL, "rounding up that overflows");
  OK(mem_aligned(SIZE_MAX / 4, 2, 64) == NULL, "more than there is");
}

static void test_copies(void)
{
  const char *text = "some text";
  char *copy = mem_strdup(text);

  OK(copy != text, "a copy");
  OK_STR(copy, "some text", "of all");
  free(copy);
  copy = mem_strndup(text, 4);
  OK_STR(copy, "some", "of the first bytes");
  free(copy);
  copy = mem_strndup(text, 0);
  OK_STR(copy, "", "of nothing");
  free(copy);
  copy = mem_strdup("");
  OK_STR(copy, "", "of an empty text");
  free(copy);
}

int main(void)
{
  test_aligned();
  test_too_much();
  test_copies();
  return TAP_EXIT();
}
