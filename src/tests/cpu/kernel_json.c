/*
 * kernel_json.c - json: reads a JSON text byte by byte. The result has the sum
 * of all integers, the bytes of strings, escapes, and values weighted by their
 * depth.
 */
#include <stdio.h>
#include <string.h>

#include "tests/cpu/kernel.h"

enum {
  TEXT = 1 << 15,
  RECORD_MAX = 256,
};

struct json_text {
  char text[TEXT + 1];
};

static int kernel_json_put_record(char *to, size_t room, unsigned number,
                                  uint64_t *state)
{
  const uint64_t noise = cpu_noise(state);

  return snprintf(to, room,
                  "{\"id\": %u, \"name\": \"user %c%c%c\\n\", \"score\": "
                  "-%u.%02u, \"tags\": [\"t%u\", %u, true, null], "
                  "\"place\": {\"x\": %u, \"y\": %u, \"of\\u0066\": false}},\n",
                  number, (char)('a' + noise % 26),
                  (char)('a' + (noise >> 8) % 26),
                  (char)('a' + (noise >> 16) % 26),
                  (unsigned)(noise >> 24) % 1000, (unsigned)(noise >> 32) % 100,
                  (unsigned)(noise >> 40) % 64, (unsigned)(noise >> 48) % 4096,
                  (unsigned)(noise >> 52) % 256, (unsigned)(noise >> 56));
}

static int kernel_json_prepare(void *mem, struct err *err)
{
  struct json_text *t = mem;
  uint64_t state = 23;
  size_t at = 1;

  (void)err;
  memset(t->text, ' ', TEXT);
  t->text[0] = '[';
  for (unsigned i = 0; at + RECORD_MAX < TEXT; i++) {
    at += (size_t)kernel_json_put_record(t->text + at, TEXT - at, i, &state);
    t->text[at] = ' ';
  }
  memcpy(t->text + TEXT - 3, "{}]", 3);
  return 0;
}

struct found {
  uint64_t numbers, strings, escapes, words, weight;
};

/* From after a quote to after the next, if there is one. */
static const char *kernel_json_read_string(const char *p, struct found *f)
{
  const char *begin = p;

  for (; *p && *p != '"'; p++) {
    if (*p == '\\') {
      p += p[1] != '\0';
      f->escapes++;
    }
  }
  f->strings += (uint64_t)(p - begin);
  return p + (*p != '\0');
}

/* Digits after the point count like others. Reads at least one byte, so that
 * any text ends. */
static const char *kernel_json_read_number(const char *p, struct found *f)
{
  uint64_t n = 0;

  if (*p < '0' || *p > '9')
    p++;
  for (; (*p >= '0' && *p <= '9') || *p == '.'; p++)
    n = *p == '.' ? n : n * 10 + (uint64_t)(*p - '0');
  f->numbers += n;
  return p;
}

static const char *kernel_json_read_word(const char *p, struct found *f)
{
  for (; *p >= 'a' && *p <= 'z'; p++)
    f->words = f->words * 3 + (uint64_t)*p;
  return p;
}

static uint64_t kernel_json_run(void *mem)
{
  const char *p = ((const struct json_text *)mem)->text;
  struct found f = { 0 };
  uint64_t depth = 0;

  while (*p) {
    switch (*p) {
    case '"':
      f.weight += depth;
      p = kernel_json_read_string(p + 1, &f);
      break;
    case '{':
    case '[':
      depth++;
      p++;
      break;
    case '}':
    case ']':
      depth--;
      p++;
      break;
    case ' ':
    case '\n':
    case ',':
    case ':':
      p++;
      break;
    case 't':
    case 'f':
    case 'n':
      p = kernel_json_read_word(p, &f);
      break;
    default:
      f.weight += depth;
      p = kernel_json_read_number(p, &f);
    }
  }
  return cpu_sum(cpu_sum(cpu_sum(f.numbers, f.strings), f.escapes),
                 f.words ^ f.weight ^ depth << 32);
}

const struct cpu_kernel cpu_kernel_json = {
  .name = "json",
  .unit = "byte",
  .operations = TEXT,
  .result = UINT64_C(0x93530ee8381eecce),
  .bytes = sizeof(struct json_text),
  .prepare = kernel_json_prepare,
  .portable = { .name = "portable", .run = kernel_json_run },
};
