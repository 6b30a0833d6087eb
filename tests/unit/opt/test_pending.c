/*
 * test_pending.c - options of the test: built-in tests, scripts with and
 * without declared options, configuration files.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "tests/unit/opt_fixture.h"
#include "tests/unit/tap.h"

struct cpu_cfg {
  uint64_t max_prime;
};

static const struct opt cpu_rows[] = {
  {
    OPT_INT(struct cpu_cfg, max_prime),
    .name = "cpu-max-prime",
    .def = "10000",
    .min = 1,
    .max = INT64_MAX,
  },
  OPT_END,
};

static const struct opt script_row = { .type = OPT_TYPE_INT,
                                       .name = "table_size",
                                       .def = "10" };

static const struct opt twin_row = { .type = OPT_TYPE_INT,
                                     .name = "events",
                                     .def = "13" };

enum kind {
  BUILTIN,  /* cpu_rows */
  DECLARED, /* script_row */
  TWIN,     /* script_row, and an option that the program has */
  FREE,     /* a script that declares nothing */
};

/*
 * Command line and configuration file; `%s` stands for the file's name in both.
 */
static const struct {
  enum kind kind;
  const char *line, *file;
  int rc;
  const char *text;  /* text of the error */
  const char *name;  /* [opt] an option ... */
  const char *value; /* ... and its value as text */
} cases[] = {
  { BUILTIN, "bench cpu --cpu-max-prime=5 run", "", 0, "", "cpu-max-prime",
    "5" },
  { BUILTIN, "bench cpu --cpu_max_prime=5 --cpu-max-prime=6 run", "", 0, "",
    "cpu-max-prime", "6" },
  { BUILTIN, "bench cpu --cpu-max-prime=0 run", "", -EINVAL,
    "Invalid value for --cpu-max-prime: '0' (expected an integer of 1 "
    "or more)",
    NULL, NULL },
  { BUILTIN, "bench cpu --bad=1 run", "", -ENOENT, "invalid option: --bad=1",
    NULL, NULL },
  { BUILTIN, "bench cpu --bad=1 --cpu-max-prime=0 run", "", -ENOENT,
    "invalid option: --bad=1", NULL, NULL },
  { BUILTIN, "bench cpu --cpu-max-prim run", "", -ENOENT,
    "invalid option: --cpu-max-prim\ndid you mean --cpu-max-prime?", NULL,
    NULL },
  { BUILTIN, "bench cpu --thread=3 run", "", -ENOENT,
    "invalid option: --thread=3\ndid you mean --threads?", NULL, NULL },
  { BUILTIN, "bench cpu -- run", "", -ENOENT, "invalid option: --", NULL,
    NULL },
  { DECLARED, "bench x.lua --table-size=7 run", "", 0, "", "table_size", "7" },
  { DECLARED, "bench x.lua --table-size=1K run", "", -EINVAL,
    "Invalid value for --table_size: '1K' (expected an integer of 64 "
    "bits)",
    NULL, NULL },
  { DECLARED, "bench x.lua --my-opt=5 run", "", -ENOENT,
    "invalid option: --my-opt=5", NULL, NULL },
  { DECLARED, "bench x.lua --table-size=13 run", "", -ENOENT,
    "invalid option: --table-size=13\n"
    "--table_size is an option of the script, which refuses this value",
    NULL, NULL },
  { DECLARED, "bench x.lua --config-file=%s run", "table-size = 13", -ENOENT,
    "invalid option: table-size, %s:1\n"
    "--table_size is an option of the script, which refuses this value",
    NULL, NULL },
  { TWIN, "bench x.lua --events=13 run", "", -ENOENT,
    "invalid option: --events=13\n"
    "--events is an option of the script, which refuses this value",
    NULL, NULL },
  { TWIN, "bench x.lua --events=12 run", "", 0, "", "events", "12" },
  { TWIN, "bench x.lua run", "", 0, "", "events", "13" },
  { FREE, "bench x.lua --my-opt=a=b run", "", 0, "", "my_opt", "a=b" },
  { FREE, "bench x.lua --my-opt --my_opt=2 run", "", 0, "", "my-opt", "2" },
  { FREE, "bench x.lua --my-opt run", "", 0, "", "my-opt", "" },
  { FREE, "bench x.lua -- run", "", -ENOENT, "invalid option: --", NULL, NULL },
  { FREE, "bench x.lua --=5 run", "", -ENOENT, "invalid option: --=5", NULL,
    NULL },
  { FREE, "bench x.lua --config-file=%s run", "flag\nmy_opt = 'a b'\n", 0, "",
    "my-opt", "a b" },
  { FREE, "bench x.lua --config-file=%s run", "version\n", -ENOENT,
    "invalid option: version, %s:1\n--version is not possible inside of a "
    "configuration file",
    NULL, NULL },
  { FREE, "bench x.lua --config-file=%s run", "my_opt = a b\n", -EINVAL,
    "Invalid value for --my_opt: 'a b' (a value with blanks or commas needs "
    "quotes), %s:1",
    NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s run", "cpu-max-prime=8\n", 0, "",
    "cpu-max-prime", "8" },
  { BUILTIN, "bench cpu --config-file=%s --cpu-max-prime=9 run",
    "cpu-max-prime=8\n", 0, "", "cpu-max-prime", "9" },
  { BUILTIN, "bench cpu --threads=3 --config-file=%s run",
    "threads = 4\ndebug=off", 0, "", "num-threads", "4" },
  { BUILTIN, "bench cpu --config-file=%s --threads=5 run", "threads = 4", 0, "",
    "threads", "5" },
  { BUILTIN, "bench cpu --config-file=%s run",
    "report-checkpoints = 3, 4 5 # x", 0, "", "report-checkpoints", "3,4,5" },
  { BUILTIN, "bench cpu --config-file=%s run", "\nthreads = 0", -EINVAL,
    "Invalid value for --threads: '0' (expected an integer from 1 to "
    "1000000), %s:2",
    NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s run", "threads = 1 2", -EINVAL,
    "Invalid value for --threads: '1 2' (expected an integer from 1 to "
    "1000000), %s:1",
    NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s run", "[x]\nthreads", -EINVAL,
    "Invalid value for --threads: '' (expected an integer from 1 to "
    "1000000), %s:2",
    NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s run", "threads=0\ntime = 'x", -EINVAL,
    "Invalid value for --threads: '0' (expected an integer from 1 to "
    "1000000), %s:1",
    NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s --threads=0", "time = 'x", -EINVAL,
    "missing closing quote, %s:1", NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s run", "threds = 2", -ENOENT,
    "invalid option: threds, %s:1\ndid you mean --threads?", NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s run", "help", -ENOENT,
    "invalid option: help, %s:1\n--help is not possible inside of a "
    "configuration file",
    NULL, NULL },
  { BUILTIN, "bench cpu --config-file=%s run", "config-file=x", -ENOENT,
    "invalid option: config-file, %s:1\n--config-file is not possible inside "
    "of "
    "a configuration file",
    NULL, NULL },
  { BUILTIN, "bench --config-file=%s run", "test=cpu\ncompat=1.1", 0, "",
    "rand-type", "uniform" },
};

static bool is_not_13(void *ctx, const struct opt_entry *e, const char *value,
                      struct strbuf *ret_expected)
{
  (void)ret_expected;
  *(int *)ctx += e->section == OPT_SECTION_TEST;
  return strcmp(value, "13") != 0;
}

/* `text` with each "%s" replaced by the name of the file. */
static void fill(char out[512], const char *text, const char *name)
{
  const char *hole = strstr(text, "%s");

  if (hole)
    (void)snprintf(out, 512, "%.*s%s%s", (int)(hole - text), text, name,
                   hole + 2);
  else
    (void)snprintf(out, 512, "%s", text);
}

static void write_file(const char *name, const char *text)
{
  FILE *f = fopen(name, "w");

  if (f) {
    fputs(text, f);
    fclose(f);
  }
}

static int apply(struct fixture *f, struct cpu_cfg *cfg, enum kind kind)
{
  int calls = 0;
  const struct cmdline_rules rules = { .accept_unknown = kind == FREE,
                                       .owner = "test",
                                       .is_valid = kind == BUILTIN ? NULL
                                                                   : is_not_13,
                                       .ctx = &calls };

  if (kind == BUILTIN)
    (void)optset_add(&f->set, OPT_SECTION_TEST, "cpu", cpu_rows, cfg, &f->err);
  if (kind == TWIN)
    (void)optset_declare(&f->set, "x.lua", &twin_row, NULL, &f->err);
  if (kind == DECLARED || kind == TWIN)
    (void)optset_declare(&f->set, "x.lua", &script_row, NULL, &f->err);
  return cmdline_apply(&f->cmd, &rules, &f->err);
}

int main(void)
{
  char name[] = "/tmp/bench-opt-pending-XXXXXX";
  const int fd = mkstemp(name);

  if (fd >= 0)
    close(fd);
  OK(fd >= 0, "makes a temporary file");
  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    char line[512], words[512], text[512];
    struct cpu_cfg cfg = { 0 };
    struct fixture f;
    int rc;

    write_file(name, cases[i].file);
    fill(line, cases[i].line, name);
    fill(text, cases[i].text, name);
    (void)fixture_init(&f);
    rc = fixture_scan(&f, line, NULL, words);
    if (rc == 0)
      rc = apply(&f, &cfg, cases[i].kind);
    OK(rc == cases[i].rc, cases[i].line);
    OK_STR(f.err.text, text, "message");
    if (cases[i].name) {
      const struct opt_entry *e = optset_find(&f.set, cases[i].name);

      OK_STR(e ? opt_get_string(e) : "none", cases[i].value, cases[i].name);
    }
    fixture_done(&f);
  }
  remove(name);
  return TAP_EXIT();
}
