/*
 * fuzz_json.c - any tree that the writer of results makes becomes text that
 * another reader reads back as the same tree; no text is lost on the way.
 *
 * Input: a program of bytes that makes the tree.
 */
#include "input.h"
#include "json_model.h"
#include "results/jobj.h"

enum {
  DEPTH_MAX = 16
};

static json_t *make_object(struct input *in, unsigned depth);

static json_t *make_array(struct input *in, unsigned depth)
{
  json_t *array = json_array();

  for (unsigned n = input_byte(in) % 16; n > 0 && in->left > 0; n--)
    MUST(jobj_array_add(array, make_object(in, depth + 1)));
  return array;
}

static double make_real(struct input *in)
{
  const uint64_t bits = input_number(in, 8);
  double value;

  memcpy(&value, &bits, sizeof(value));
  return value;
}

/* Bytes below 0x80 are themselves in whatever way the text is stored. */
static void check_text(const char *text)
{
  json_t *j = jobj_string(text);
  const char *kept = json_string_value(j);
  size_t ascii = 0, kept_ascii = 0;

  MUST(kept);
  for (const char *p = text; *p; p++)
    ascii += (unsigned char)*p < 0x80;
  for (const char *p = kept; *p; p++)
    kept_ascii += (unsigned char)*p < 0x80;
  MUST(ascii == kept_ascii);
  MUST(ascii != strlen(text) || strcmp(text, kept) == 0);
  json_decref(j);
}

static void add_member(struct jobj *o, struct input *in, const char *key,
                       unsigned depth)
{
  char *text;

  switch (input_byte(in) % 9) {
  case 0:
    text = input_text(in, input_byte(in));
    check_text(text);
    jobj_text(o, key, text);
    free(text);
    break;
  case 1:
    jobj_int(o, key, input_number(in, 8));
    break;
  case 2:
    jobj_signed(o, key, (int64_t)input_number(in, 8));
    break;
  case 3:
    jobj_real(o, key, make_real(in));
    break;
  case 4:
    jobj_bool(o, key, input_byte(in) & 1);
    break;
  case 5:
    jobj_null(o, key);
    break;
  case 6:
    jobj_add(o, key, depth < DEPTH_MAX ? make_array(in, depth) : json_null());
    break;
  case 7:
    jobj_add(o, key,
             depth < DEPTH_MAX ? make_object(in, depth + 1) : json_null());
    break;
  default:
    jobj_real(o, key, jobj_seconds(input_number(in, 8)));
  }
}

static json_t *make_object(struct input *in, unsigned depth)
{
  struct jobj o = jobj_new();
  json_t *j;

  for (unsigned n = input_byte(in) % 16; n > 0 && in->left > 0; n--) {
    char key[2] = { (char)('a' + input_byte(in) % 26), '\0' };

    add_member(&o, in, key, depth);
  }
  j = jobj_take(&o);
  MUST(j);
  return j;
}

static void check(char *text, const json_t *tree)
{
  json_error_t error;
  json_t *again;

  MUST(text && json_model_same(text, tree));
  again = json_loads(text, 0, &error);
  MUST(again);
  json_decref(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, size };
  json_t *tree = make_object(&in, 0);
  char *line = jobj_line(tree);

  MUST(line && !strchr(line, '\n'));
  check(line, tree);
  check(jobj_pretty(tree), tree);
  json_decref(tree);
  return 0;
}
