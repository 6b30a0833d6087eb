/*
 * test_strbuf.c - text that grows as it is written.
 */
#include <stdint.h>

#include "base/strbuf.h"
#include "tests/unit/tap.h"

static void test_writing(void)
{
  struct strbuf b = { 0 };

  OK_STR(strbuf_str(&b), "", "an empty buffer has a text");
  strbuf_add(&b, "", 0);
  OK(b.len == 0 && !b.failed, "adding nothing");
  strbuf_adds(&b, "one");
  strbuf_add(&b, " two", 4);
  strbuf_addf(&b, " %d %s", 3, "four");
  OK_STR(strbuf_str(&b), "one two 3 four", "one after the other");
  OK(b.len == 14 && b.room > b.len, "its length");
  strbuf_add(&b, "\0x", 2);
  OK(b.len == 16 && memcmp(b.text + 14, "\0x", 3) == 0,
     "bytes of any value, and a terminator");
  strbuf_clear(&b);
  OK(b.len == 0 && b.text && b.room > 0, "cleared, with its memory");
  OK_STR(strbuf_str(&b), "", "and empty");
  strbuf_done(&b);
  OK(!b.text && b.len == 0 && b.room == 0, "done");
  strbuf_adds(&b, "again");
  OK_STR(strbuf_str(&b), "again", "and usable again");
  strbuf_done(&b);
  strbuf_done(NULL);
}

static void test_growth(void)
{
  struct strbuf b = { 0 };
  bool right = true;

  for (int i = 0; i < 20000; i++)
    strbuf_addf(&b, "%c", 'a' + i % 26);
  for (size_t i = 0; i < b.len; i++)
    right = right && b.text[i] == (char)('a' + i % 26);
  OK(b.len == 20000 && right && strlen(b.text) == 20000, "it grows");
  strbuf_addf(&b, "%*d", 100000, 7);
  OK(b.len == 120000 && b.text[119999] == '7', "also by a lot at once");
  strbuf_done(&b);
}

static void test_failure(void)
{
  struct strbuf b = { 0 };
  static const char few[] = "abc";

  strbuf_adds(&b, "kept");
  strbuf_add(&b, few, SIZE_MAX);
  OK(b.failed, "a length that overflows");
  b.failed = false;
  strbuf_add(&b, few, SIZE_MAX - 16);
  OK(b.failed, "a length that no growing reaches");
  OK_STR(strbuf_str(&b), "kept", "what was there stays");
  strbuf_adds(&b, " on");
  OK_STR(strbuf_str(&b), "kept on", "and the next text is added");
  OK(b.failed, "the failure is remembered");
  strbuf_done(&b);
  OK(!b.failed, "until the end");
}

int main(void)
{
  test_writing();
  test_growth();
  test_failure();
  return TAP_EXIT();
}
