/*
 * test_value.c - every type: what is accepted, what is refused and how.
 */
#include <errno.h>
#include <math.h>

#include "base/compiler.h"
#include "base/err.h"
#include "opt/value.h"
#include "tests/unit/tap.h"

static const char *const words[] = { "sync", "direct", NULL };

static bool is_even(const char *text)
{
  return (text[strlen(text) - 1] - '0') % 2 == 0;
}

static int64_t ten(void)
{
  return 10;
}

static const struct opt row_bool = { .type = OPT_TYPE_BOOL, .name = "b" };
static const struct opt row_int = {
  .type = OPT_TYPE_INT, .name = "i", .min = -5, .max = 1000000
};
static const struct opt row_any = { .type = OPT_TYPE_INT, .name = "i" };
static const struct opt row_now = {
  .type = OPT_TYPE_INT, .name = "i", .max = 20, .min_now = ten
};
static const struct opt row_size = {
  .type = OPT_TYPE_SIZE, .name = "s", .min = 512, .max = INT64_C(1) << 40
};
static const struct opt row_size_any = { .type = OPT_TYPE_SIZE, .name = "s" };
static const struct opt row_double = { .type = OPT_TYPE_DOUBLE,
                                       .name = "d",
                                       .fmax = 99.5 };
static const struct opt row_double_any = { .type = OPT_TYPE_DOUBLE,
                                           .name = "d" };
static const struct opt row_double_min = {
  .type = OPT_TYPE_DOUBLE, .name = "d", .fmin = 0.1, .fmax = INFINITY
};
static const struct opt row_double_open = {
  .type = OPT_TYPE_DOUBLE,
  .name = "d",
  .fmax = 1,
  .flags = OPT_OPEN_MIN | OPT_OPEN_MAX,
};
static const struct opt row_double_half = {
  .type = OPT_TYPE_DOUBLE, .name = "d", .fmax = 1, .flags = OPT_OPEN_MIN
};
static const struct opt row_double_above = {
  .type = OPT_TYPE_DOUBLE, .name = "d", .fmax = INFINITY, .flags = OPT_OPEN_MIN
};
static const struct opt row_string = { .type = OPT_TYPE_STRING, .name = "t" };
static const struct opt row_text = { .type = OPT_TYPE_STRING,
                                     .name = "t",
                                     .flags = OPT_NOT_EMPTY };
static const struct opt row_secret = {
  .type = OPT_TYPE_STRING,
  .name = "t",
  .flags = OPT_SECRET,
  .check = is_even,
  .expected = "an even end",
};
static const struct opt row_word = { .type = OPT_TYPE_WORD,
                                     .name = "w",
                                     .words = words };
static const struct opt row_word_any = {
  .type = OPT_TYPE_WORD, .name = "w", .words = words, .flags = OPT_ANY_CASE
};
static const struct opt row_list = { .type = OPT_TYPE_LIST, .name = "l" };
static const struct opt row_list_full = { .type = OPT_TYPE_LIST,
                                          .name = "l",
                                          .flags = OPT_NOT_EMPTY };
static const struct opt row_list_int = {
  .type = OPT_TYPE_LIST,
  .name = "l",
  .flags = OPT_INT_ITEMS | OPT_NOT_EMPTY,
  .min = 1,
  .max = 9,
};
static const struct opt row_list_words = { .type = OPT_TYPE_LIST,
                                           .name = "l",
                                           .words = words };
static const struct opt row_list_check = {
  .type = OPT_TYPE_LIST,
  .name = "l",
  .check = is_even,
  .expected = "a comma-separated list of even things",
};
static const struct opt row_list_tight = { .type = OPT_TYPE_LIST,
                                           .name = "l",
                                           .flags = OPT_NO_GAPS };
static const struct opt row_file = { .type = OPT_TYPE_FILE, .name = "f" };

static const struct opt row_count = {
  .type = OPT_TYPE_INT, .name = "n", .max = INT64_MAX, .flags = OPT_COUNT
};
static const struct opt row_amount = { .type = OPT_TYPE_DOUBLE,
                                       .name = "my_amount",
                                       .flags = OPT_COUNT | OPT_DASHED };
static const struct opt row_time = { .type = OPT_TYPE_TIME,
                                     .name = "t",
                                     .fmax = 3600 };
static const struct opt row_ms = {
  .type = OPT_TYPE_INT, .name = "t", .max = 60000, .unit_ns = 1000 * 1000
};
static const struct opt row_percent = {
  .type = OPT_TYPE_INT, .name = "p", .max = 100, .flags = OPT_PERCENT
};
static const struct opt row_part = {
  .type = OPT_TYPE_DOUBLE, .name = "p", .fmax = 100, .flags = OPT_PERCENT
};
static const char *advise(const char *text)
{
  return strcmp(text, "two") == 0 ? "use 2" : NULL;
}
static const struct opt row_advised = {
  .type = OPT_TYPE_INT, .name = "n", .min = 1, .max = 9, .advise = advise
};

#define COUNT_WHAT "an integer of 0 or more, such as 500, 64K or 1M"
#define TIME_WHAT \
  "a time from 0 to 3600 seconds, such as 10, 0.5, 30s, 5m or 1h"
#define MS_WHAT                                            \
  "a time from 0 to 60 seconds, such as 20ms or 5s, or a " \
  "number of milliseconds"
#define INT_WHAT "an integer from -5 to 1000000"
#define ANY_WHAT "an integer of 64 bits"
#define TIGHT_WHAT "a comma-separated list: an item is empty"
#define SIZE_WHAT "a size from 512 to 1099511627776, such as 64K, 2M or 1G"

/* Refused texts: the item that is shown, and what is expected instead. */
static const struct {
  const struct opt *row;
  const char *text, *shown, *expected;
} refused[] = {
  { &row_bool, "", "", "on or off" },
  { &row_bool, "maybe", "maybe", "on or off" },
  { &row_bool, "on ", "on ", "on or off" },
  { &row_int, "", "", INT_WHAT },
  { &row_int, "abc", "abc", INT_WHAT },
  { &row_int, "1K", "1K", INT_WHAT },
  { &row_int, "1.0", "1.0", INT_WHAT },
  { &row_int, "-6", "-6", INT_WHAT },
  { &row_int, "1000001", "1000001", INT_WHAT },
  { &row_int, "99999999999999999999", "99999999999999999999", INT_WHAT },
  { &row_any, "9223372036854775808", "9223372036854775808", ANY_WHAT },
  { &row_now, "9", "9", "an integer from 10 to 20" },
  { &row_size, "511", "511", SIZE_WHAT },
  { &row_size, "2T", "2T", SIZE_WHAT },
  { &row_size, "-1", "-1", SIZE_WHAT },
  { &row_size, "K", "K", SIZE_WHAT },
  { &row_size, "64q", "64q", SIZE_WHAT },
  { &row_size_any, "99999999T", "99999999T",
    "a size of 0 or more, such as 64K, 2M or 1G" },
  { &row_count, "1MB", "1MB", COUNT_WHAT },
  { &row_count, "8388608T", "8388608T", COUNT_WHAT },
  { &row_count, "-1", "-1", COUNT_WHAT },
  { &row_amount, "1.5K", "1.5K", "a number, such as 500, 64K or 1M" },
  { &row_amount, "1KB", "1KB", "a number, such as 500, 64K or 1M" },
  { &row_advised, "10", "10", "an integer from 1 to 9" },
  { &row_advised, "two", "two", "an integer from 1 to 9; use 2" },
  { &row_time, "61m", "61m", TIME_WHAT },
  { &row_ms, "61s", "61s", MS_WHAT },
  { &row_ms, "-1", "-1", MS_WHAT },
  { &row_ms, "0.5ms", "0.5ms", MS_WHAT },
  { &row_ms, "0.5", "0.5", MS_WHAT },
  { &row_ms, "1e300h", "1e300h", MS_WHAT },
  { &row_percent, "101%", "101%", "an integer from 0 to 100" },
  { &row_percent, "%", "%", "an integer from 0 to 100" },
  { &row_percent, "5%%", "5%%", "an integer from 0 to 100" },
  { &row_time, "-1s", "-1s", TIME_WHAT },
  { &row_time, "1 s", "1 s", TIME_WHAT },
  { &row_time, "", "", TIME_WHAT },
  { &row_double, "99.6", "99.6", "a number from 0 to 99.5" },
  { &row_double, "-0.1", "-0.1", "a number from 0 to 99.5" },
  { &row_double, "nan", "nan", "a number from 0 to 99.5" },
  { &row_double, "1x", "1x", "a number from 0 to 99.5" },
  { &row_double_any, "inf", "inf", "a number" },
  { &row_double_any, "", "", "a number" },
  { &row_double_min, "0.09", "0.09", "a number of at least 0.1" },
  { &row_double_open, "0", "0", "a number greater than 0 and less than 1" },
  { &row_double_open, "1", "1", "a number greater than 0 and less than 1" },
  { &row_double_half, "0", "0", "a number greater than 0 and at most 1" },
  { &row_double_above, "0", "0", "a number greater than 0" },
  { &row_text, "", "", "a text that is not empty" },
  { &row_secret, "hunter1", "***", "an even end" },
  { &row_word, "Sync", "Sync", "one of: sync, direct" },
  { &row_word, "", "", "one of: sync, direct" },
  { &row_list_full, ",,", "", "a comma-separated list that is not empty" },
  { &row_list_int, "", "", "a comma-separated list of integers from 1 to 9" },
  { &row_list_int, "1,a", "a",
    "a comma-separated list of integers from 1 to 9" },
  { &row_list_int, "3,10", "10",
    "a comma-separated list of integers from 1 to 9" },
  { &row_list_words, "sync,dsync", "dsync",
    "a comma-separated list of: sync, direct" },
  { &row_list_check, "2,3", "3", "a comma-separated list of even things" },
  { &row_list_tight, ",", ",", TIGHT_WHAT },
  { &row_list_tight, ",a", ",a", TIGHT_WHAT },
  { &row_list_tight, "a,b,", "a,b,", TIGHT_WHAT },
  { &row_list_tight, "a,,b", "a,,b", TIGHT_WHAT },
  { &row_file, "", "", "a readable file: No such file or directory" },
  { &row_file, "/nonexistent/x", "/nonexistent/x",
    "a readable file: No such file or directory" },
  { &row_file, "/tmp", "/tmp", "a readable file: Is a directory" },
};

static struct opt_given given_text(const char *text)
{
  return (struct opt_given){ .text = text, .source = OPT_SOURCE_CMDLINE };
}

static void check_refused(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
    const struct opt_given given = given_text(refused[i].text);
    struct opt_value v = { .number = 42 };
    struct err err = { "" };
    char want[512];

    (void)snprintf(
      want, sizeof(want), "Invalid value for --%s: '%s' (expected %s)",
      refused[i].row == &row_amount ? "my-amount" : refused[i].row->name,
      refused[i].shown, refused[i].expected);
    OK(opt_value_read(refused[i].row, &given, &v, &err) == -EINVAL, "refused");
    OK_STR(err.text, want, "and says why");
    OK(v.number == 42, "the value is left alone");
  }
}

static const struct {
  const struct opt *row;
  const char *text;
  double number;
} accepted[] = {
  { &row_bool, "YES", 1 },
  { &row_bool, "off", 0 },
  { &row_int, "-5", -5 },
  { &row_int, " +1000000", 1000000 },
  { &row_count, "500", 500 },
  { &row_ms, "500", 500 },
  { &row_ms, "0", 0 },
  { &row_ms, "0.25s", 250 },
  { &row_ms, "1m", 60000 },
  { &row_ms, "2000us", 2 },
  { &row_percent, "20", 20 },
  { &row_percent, "20%", 20 },
  { &row_count, "1M", 1048576 },
  { &row_count, "2k", 2048 },
  { &row_amount, "0.5", 0.5 },
  { &row_amount, "2M", 2097152 },
  { &row_time, "0.5", 0.5 },
  { &row_time, "500us", 0.0005 },
  { &row_part, "2.5%", 2.5 },
  { &row_part, "2.5", 2.5 },
  { &row_time, "60m", 3600 },
  { &row_time, "250ms", 0.25 },
  { &row_any, "-9223372036854775808", -9223372036854775808.0 },
  { &row_now, "10", 10 },
  { &row_size, "64K", 65536 },
  { &row_size, "1TiB", 1099511627776 },
  { &row_size_any, "0", 0 },
  { &row_double, "99.5", 99.5 },
  { &row_double, "1e1", 10 },
  { &row_double_min, "1e300", 1e300 },
  { &row_double_open, "0.5", 0.5 },
  { &row_double_half, "1", 1 },
  { &row_word, "direct", 1 },
  { &row_word_any, "SYNC", 0 },
};

static double number_of(const struct opt *row, const struct opt_value *v)
{
  if (row->type == OPT_TYPE_BOOL)
    return v->on;
  return row->type == OPT_TYPE_DOUBLE || row->type == OPT_TYPE_TIME
           ? v->real
           : (double)v->number;
}

static void check_accepted(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
    const struct opt_given given = given_text(accepted[i].text);
    struct opt_value v = { 0 };
    struct err err = { "" };
    const int rc = opt_value_read(accepted[i].row, &given, &v, &err);

    OK(rc == 0 && number_of(accepted[i].row, &v) == accepted[i].number,
       accepted[i].text);
    OK_STR(v.text, accepted[i].text, "keeps the text");
    opt_value_done(&v);
  }
}

/* The same text on a line of a file, where blanks do not count. */
static void check_gaps_in_files(void)
{
  static const struct {
    const char *text;
    int rc;
  } gaps[] = {
    { "a,,b", -EINVAL },   { "a, ,b", -EINVAL },  { " , a", -EINVAL },
    { "a, # b", -EINVAL }, { "a,\"\"", -EINVAL }, { "a, b", 0 },
    { "a b", 0 },          { "'a,,b' c", 0 },     { "a,b # c,,d", 0 },
    { "a' ,b#", 0 },       { "# nothing", 0 },
  };
  static const char *const raw[] = { "a", "b" };
  const struct opt_list items = { 2, raw };

  for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
    struct opt_given given = given_text(gaps[i].text);
    struct opt_value v = { 0 };
    struct err err = { "" };
    int rc;

    given.items = &items;
    rc = opt_value_read(&row_list_tight, &given, &v, &err);
    OK(rc == gaps[i].rc, gaps[i].text);
    if (rc == 0)
      opt_value_done(&v);
  }
}

static void check_lists(void)
{
  static const char *const raw[] = { "a,b", "", "c" };
  const struct opt_list items = { 3, raw };
  struct opt_given given = given_text(",x,,yy,");
  struct opt_value v = { 0 };
  struct err err = { "" };

  OK(opt_value_read(&row_list, &given, &v, &err) == 0 && v.list.n == 2,
     "empty items are dropped");
  OK_STR(v.list.items[0], "x", "first item");
  OK_STR(v.list.items[1], "yy", "second item");
  opt_value_done(&v);

  given = given_text("");
  OK(opt_value_read(&row_list, &given, &v, &err) == 0 && v.list.n == 0,
     "a list may be empty");
  opt_value_done(&v);
  OK(opt_value_read(&row_list_tight, &given, &v, &err) == 0 && v.list.n == 0,
     "also one whose items may not");
  opt_value_done(&v);

  given.items = &items;
  OK(opt_value_read(&row_list, &given, &v, &err) == 0 && v.list.n == 2,
     "items of a file may contain commas");
  OK_STR(v.list.items[0], "a,b", "such an item");
  opt_value_done(&v);

  given.text = "a,b '' c";
  OK(opt_value_read(&row_string, &given, &v, &err) == -EINVAL,
     "a string takes one item only");
  OK_STR(err.text,
         "Invalid value for --t: 'a,b '' c' (a value with blanks or commas "
         "needs quotes)",
         "and says so");
  OK(opt_value_read(&row_list_tight, &given, &v, &err) == -EINVAL,
     "an item of a file is empty");
  OK_STR(err.text,
         "Invalid value for --l: 'a,b '' c' (expected " TIGHT_WHAT ")",
         "and says so, too");
}

struct all {
  bool on;
  int64_t i;
  uint64_t size;
  double d;
  const char *s, *f;
  int w;
  struct opt_list l;
};

static const struct opt all_rows[] = {
  { OPT_BOOL(struct all, on), .name = "on", .def = "yes" },
  { OPT_INT(struct all, i), .name = "i", .def = "-7" },
  { OPT_SIZE(struct all, size), .name = "size", .def = "1K" },
  { OPT_DOUBLE(struct all, d), .name = "d", .def = "0.5" },
  { OPT_STRING(struct all, s), .name = "s", .def = "text" },
  { OPT_WORD(struct all, w), .name = "w", .def = "direct", .words = words },
  { OPT_LIST(struct all, l), .name = "l", .def = "a,b,c" },
  { OPT_FILE(struct all, f), .name = "f", .def = "/dev/null" },
  OPT_END,
};

static void check_store(void)
{
  struct opt_value v[ARRAY_SIZE(all_rows)] = { { 0 } };
  struct all got = { .f = "x" };
  struct err err = { "" };

  for (size_t i = 0; all_rows[i].type != OPT_TYPE_END; i++) {
    const struct opt_given given = given_text(all_rows[i].def);

    OK(opt_value_read(&all_rows[i], &given, &v[i], &err) == 0,
       all_rows[i].name);
    opt_value_store(&all_rows[i], &v[i], &got);
  }
  OK(got.on && got.i == -7 && got.size == 1024 && got.d == 0.5, "numbers");
  OK(got.w == 1 && got.l.n == 3 && strcmp(got.s, "text") == 0, "words");
  OK_STR(got.f, "/dev/null", "a file");

  for (size_t i = 0; all_rows[i].type != OPT_TYPE_END; i++) {
    opt_value_done(&v[i]);
    v[i] = opt_value_unset(&all_rows[i]);
    opt_value_store(&all_rows[i], &v[i], &got);
  }
  OK(!got.on && got.i == 0 && got.size == 0 && got.d == 0, "unset numbers");
  OK(got.w == -1 && got.l.n == 0 && !got.f, "unset words");
  OK_STR(got.s, "", "an unset string is empty");
}

static void check_bare(void)
{
  const struct opt with_bare = { .type = OPT_TYPE_STRING,
                                 .name = "t",
                                 .bare = "on" };
  struct opt_given given = { .text = "", .bare = true };
  struct opt_value v = { 0 };
  struct err err = { "" };

  OK(opt_value_read(&row_bool, &given, &v, &err) == 0 && v.on, "bare: on");
  opt_value_done(&v);
  OK(opt_value_read(&row_string, &given, &v, &err) == 0, "bare string");
  OK_STR(v.text, "", "is empty");
  opt_value_done(&v);
  OK(opt_value_read(&with_bare, &given, &v, &err) == 0, "bare with a meaning");
  OK_STR(v.text, "on", "has it");
  opt_value_done(&v);
  OK(opt_value_read(&row_list, &given, &v, &err) == 0 && v.list.n == 0,
     "bare list is empty");
  opt_value_done(&v);
  OK(opt_value_read(&row_int, &given, &v, &err) == -EINVAL, "bare number");
  OK(opt_value_read(&row_size, &given, &v, &err) == -EINVAL, "bare size");
  OK(opt_value_read(&row_double_any, &given, &v, &err) == -EINVAL, "double");
  OK(opt_value_read(&row_file, &given, &v, &err) == -EINVAL, "bare file");

  given.source = OPT_SOURCE_FILE;
  given.where = "my.cnf:3";
  OK(opt_value_read(&row_string, &given, &v, &err) == -EINVAL,
     "in a file only switches may be bare");
  OK_STR(err.text, "Invalid value for --t: '' (expected one value), my.cnf:3",
         "the message names file and line");
  OK(opt_value_read(&row_list, &given, &v, &err) == -EINVAL, "nor lists");
  OK(opt_value_read(&row_bool, &given, &v, &err) == 0 && v.on, "bare switch");
  opt_value_done(&v);
}

int main(void)
{
  check_refused();
  check_accepted();
  check_gaps_in_files();
  check_lists();
  check_store();
  check_bare();
  return TAP_EXIT();
}
