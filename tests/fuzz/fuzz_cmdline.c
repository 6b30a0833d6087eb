/*
 * fuzz_cmdline.c - any arguments and any configuration file: options with
 * values that the rows allow, or an error with a text.
 *
 * Input: a byte of flags, arguments that end with a line each, a zero byte, and
 * the configuration file.
 */
#include "../unit/opt_fixture.h"
#include "base/strbuf.h"
#include "input.h"
#include "opt/help.h"
#include "opt/value.h"

enum {
  FLAG_ACCEPT = 1,   /* the script declares nothing */
  FLAG_TERMINAL = 2, /* standard input is one */
  ARGS_MAX = 15,
};

static int load(void *arg, const char *path, char **ret_text, size_t *ret_len)
{
  const struct input *file = arg;
  char *text = malloc(file->left + 1);

  (void)path;
  MUST(text);
  if (file->left > 0)
    memcpy(text, file->at, file->left);
  text[file->left] = '\0';
  *ret_text = text;
  *ret_len = file->left;
  return 0;
}

static bool same_list(const struct opt_list *a, const struct opt_list *b)
{
  bool same = a->n == b->n;

  for (size_t i = 0; i < a->n && same; i++)
    same = strcmp(a->items[i], b->items[i]) == 0;
  return same;
}

/* What the set shows as the value of an option is read as the same value. */
static void check_entry(const struct opt_entry *e)
{
  const struct opt_given given = {
    .name = e->row->name,
    .arg = "",
    .text = e->value.text,
    .source = e->source,
  };
  struct opt_value again;
  struct err err = { "" };

  if (e->row->alias_of || !e->value.text || e->row->type == OPT_TYPE_FILE ||
      (e->row->type == OPT_TYPE_LIST && e->source == OPT_SOURCE_FILE))
    return;
  MUST(opt_value_read(e->row, &given, &again, &err) == 0);
  MUST(again.number == e->value.number && again.on == e->value.on);
  MUST(again.real == e->value.real);
  if (e->row->type == OPT_TYPE_LIST)
    MUST(same_list(&again.list, &e->value.list));
  if (e->row->type == OPT_TYPE_INT || e->row->type == OPT_TYPE_SIZE)
    MUST(again.number <= opt_max(e->row));
  opt_value_done(&again);
}

static void check_result(struct fixture *f, bool accept)
{
  const struct cmdline_rules rules = { .accept_unknown = accept,
                                       .owner = "x.lua" };
  struct strbuf help = { 0 };
  int rc;

  for (size_t i = 0; i < f->set.n; i++)
    check_entry(f->set.entries[i]);
  if (f->cmd.action == CMDLINE_TOOL)
    return;
  rc = cmdline_apply(&f->cmd, &rules, &f->err);
  MUST(rc <= 0 && (rc == 0 || f->err.text[0] != '\0'));
  MUST(strlen(f->err.text) < sizeof(f->err.text));
  if (rc == 0) {
    help_test(&help, "x.lua", &f->set);
    MUST(!help.failed);
  }
  strbuf_done(&help);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const tools[] = { "compare", "report", NULL };
  struct input in = { data, size };
  const uint8_t flags = input_byte(&in);
  char *text = input_text(&in, 1 << 16), *rest = text, *word;
  const size_t behind = strlen(text) + 2; /* the flags, and the zero byte */
  struct input file = { data, 0 };
  char name[] = "bench", *argv[ARGS_MAX + 1] = { NULL };
  struct cmdline_input cmd = {
    .argv = argv,
    .stdin_is_terminal = flags & FLAG_TERMINAL,
    .load = load,
    .load_arg = &file,
    .tools = tools,
  };
  struct fixture f;
  int rc;

  if (behind < size)
    file = (struct input){ data + behind, size - behind };
  argv[cmd.argc++] = name;
  while (cmd.argc < ARGS_MAX && (word = strsep(&rest, "\n")) && (rest || *word))
    argv[cmd.argc++] = word;
  MUST(fixture_init(&f) == 0);
  rc = cmdline_scan(&f.cmd, &cmd, &f.set, &f.opts.cmdline, &f.err);
  MUST(rc <= 0 && (rc == 0 || f.err.text[0] != '\0'));
  for (size_t i = 0; i < f.cmd.n_warnings; i++)
    MUST(f.cmd.warnings[i][0] != '\0');
  if (rc == 0)
    check_result(&f, flags & FLAG_ACCEPT);
  fixture_done(&f);
  free(text);
  return 0;
}
