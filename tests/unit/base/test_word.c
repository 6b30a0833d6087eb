/*
 * test_word.c - words of eight bytes: a search finds the first match.
 */
#include "base/word.h"

#include "base/compiler.h"
#include "tests/unit/tap.h"

static const char texts[][9] = {
  "12345678",
  "1234567x",
  "x2345678",
  "12/45678",
  "12:45678",
  "1234567\0",
  "\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8",
  "1\377345678",
  "''",
  "\"&'()*+,",
  "aaaa'a'a",
};

static unsigned first_quote(const char *p)
{
  unsigned i = 0;

  while (i < 8 && p[i] != '\'')
    i++;
  return i;
}

static unsigned first_other(const char *p)
{
  unsigned i = 0;

  while (i < 8 && p[i] >= '0' && p[i] <= '9')
    i++;
  return i;
}

static unsigned place(uint64_t found)
{
  return found ? word_first(found) : 8;
}

int main(void)
{
  char out[9] = "";

  for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
    const uint64_t word = word_load(texts[i]);

    OK(place(word_find(word, '\'')) == first_quote(texts[i]), "a byte");
    OK(place(word_find_other_than_digits(word)) == first_other(texts[i]),
       "what is no digit");
    word_store(out, word);
    OK(memcmp(out, texts[i], 8) == 0, "stored as it was loaded");
  }
  OK((word_load("abcdefgh") & 0xff) == 'a', "the first byte is the lowest");
  return TAP_EXIT();
}
