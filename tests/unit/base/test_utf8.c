/*
 * test_utf8.c - characters in text that may be anything.
 */
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tests/unit/tap.h"

static void shown(const char *text, const char *keep, const char *want)
{
  struct strbuf b = { 0 };

  utf8_add_shown(&b, text, strlen(text), keep);
  OK_STR(strbuf_str(&b), want, "what a terminal gets");
  strbuf_done(&b);
}

static void test_shown(void)
{
  shown("plain, \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "",
        "plain, \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  shown("\x1b[31m\a\x7f", "", "\\x1b[31m\\x07\\x7f");
  shown("a\r\nb\tc", "", "a\\r\\nb\\tc");
  shown("a\r\nb\tc", "\n\t", "a\\r\nb\tc");
  shown("\xc2\x9b"
        "2J \x9b"
        "2J",
        "", "\\x9b2J \\x9b2J");
  shown("\xe2\x80\xae \xe2\x81\xa6", "", "\\u202e \\u2066");
  shown("\xe4\xf6 cut \xe2\x80", "", "\xe4\xf6 cut \xe2\\x80");
}

int main(void)
{
  static const char *const good[] = { "",
                                      "a\n\x7f",
                                      "\xc2\x80",
                                      "\xdf\xbf",
                                      "\xe0\xa0\x80",
                                      "\xed\x9f\xbf",
                                      "\xee\x80\x80",
                                      "\xef\xbf\xbf",
                                      "\xf0\x90\x80\x80",
                                      "\xf4\x8f\xbf\xbf",
                                      "a\xc3\xa4z" };
  static const char *const bad[] = { "\x80",
                                     "\xff",
                                     "\xc3",
                                     "\xc3z",
                                     "\xc0\xaf",
                                     "\xc1\xbf",
                                     "\xe0\x9f\xbf",
                                     "\xed\xa0\x80",
                                     "\xe2\x82",
                                     "\xf0\x8f\xbf\xbf",
                                     "\xf4\x90\x80\x80",
                                     "\xf5\x80\x80\x80",
                                     "abc\xe4" };
  static const struct {
    const char *text;
    size_t max, want;
  } cuts[] = {
    { "", 0, 0 },
    { "", 5, 0 },
    { "abc", 3, 3 },
    { "abc", 2, 2 },
    { "abc", 0, 0 },
    { "a\xc3\xa4", 3, 3 },
    { "a\xc3\xa4", 2, 1 },
    { "\xe2\x82\xac", 2, 0 },
    { "\xe2\x82\xac", 1, 0 },
    { "a\xf0\x9f\x98\x80", 4, 1 },
    { "a\xf0\x9f\x98\x80z", 5, 5 },
    { "\x80\x80\x80\x80\x80\x80\x80", 5, 5 }, /* not text anyway */
  };

  static const struct {
    const char *text;
    size_t len, want;
  } ends[] = {
    { "", 0, 0 },
    { "abc", 2, 2 },
    { "a\xc3\xa4", 3, 3 },
    { "a\xc3\xa4", 2, 1 },
    { "\xe2\x82\xac", 3, 3 },
    { "\xe2\x82\xac", 2, 0 },
    { "\xe2\x82\xac", 1, 0 },
    { "a\xf0\x9f\x98\x80", 5, 5 },
    { "a\xf0\x9f\x98\x80", 4, 1 },
    { "a\xf0\x9f\x98\x80", 2, 1 },
    { "\x80\x80\x80\x80\x80", 5, 5 }, /* not text anyway */
    { "\xc3\xa4\xa4\xa4", 4, 4 },
  };

  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
    OK(utf8_is_valid(good[i]), "text");
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    OK(!utf8_is_valid(bad[i]), "no text");
  OK(utf8_length("") == 0 && utf8_length("a") == 1 &&
       utf8_length("\xe2\x82\xac"
                   "a") == 3 &&
       utf8_length("\xe2\x82") == 0,
     "the length of a character");
  for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
    OK(utf8_cut(cuts[i].text, cuts[i].max) == cuts[i].want,
       "is cut between characters");
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
    OK(utf8_whole(ends[i].text, ends[i].len) == ends[i].want,
       "the last character is there as a whole or not at all");
  test_shown();
  return TAP_EXIT();
}
