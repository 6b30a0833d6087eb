/*
 * fuzz_script_opts.c - any table that a script has as sysbench.cmdline.options
 * becomes options or an error; options have the types that the table says, and
 * a script sees them afterwards.
 *
 * Input: a program of bytes that makes the table.  It is no Lua text, since
 * that could do anything.
 */
#include <errno.h>
#include <stdio.h>

#include "../unit/opt_fixture.h"
#include "base/strbuf.h"
#include "db/env.h"
#include "input.h"
#include "lua/engine/options.h"
#include "lua/engine/script.h"
#include "lua/engine/shared.h"
#include "lua/find/bundle.h"
#include "lua/find/resolve.h"
#include "opt/help.h"
#include "run/plan.h"

enum {
  DEPTH_MAX = 3,
  OPTIONS_MAX = 8,
};

static void add_value(struct strbuf *to, struct input *in, unsigned depth);

static void add_text(struct strbuf *to, struct input *in, size_t max)
{
  size_t n;
  uint8_t *bytes = input_bytes(in, max, &n);

  strbuf_adds(to, "\"");
  for (size_t i = 0; i < n; i++)
    strbuf_addf(to, "\\%03u", bytes[i]);
  strbuf_adds(to, "\"");
  free(bytes);
}

static void add_number(struct strbuf *to, struct input *in)
{
  const uint64_t bits = input_number(in, 8);
  double value;

  memcpy(&value, &bits, sizeof(value));
  if (value != value)
    strbuf_adds(to, "(0/0)");
  else if (value - value != 0)
    strbuf_adds(to, value > 0 ? "(1/0)" : "(-1/0)");
  else
    strbuf_addf(to, "(%.17g)", value);
}

static void add_list(struct strbuf *to, struct input *in, unsigned depth)
{
  strbuf_adds(to, "{");
  for (unsigned n = input_byte(in) % 6; n > 0 && in->left > 0; n--) {
    add_value(to, in, depth + 1);
    strbuf_adds(to, ",");
  }
  strbuf_adds(to, "}");
}

static void add_value(struct strbuf *to, struct input *in, unsigned depth)
{
  static const char *const words[] = {
    "nil",   "true", "false",          "sysbench.cmdline.ARG_LIST",
    "print", "12LL", "require('ffi')", "function() return false end",
  };
  const uint8_t kind = input_byte(in);

  if (kind < 64)
    strbuf_adds(to, words[kind % 8]);
  else if (kind < 128)
    strbuf_addf(to, "%d", kind - 68);
  else if (kind < 144)
    add_number(to, in);
  else if (kind < 208 || depth == DEPTH_MAX)
    add_text(to, in, kind % 32);
  else
    add_list(to, in, depth);
}

/* Most names are text and most declarations are tables, but not all. */
static void add_options(struct strbuf *to, struct input *in)
{
  strbuf_adds(to, "sysbench.cmdline.options = ");
  if (input_byte(in) == 0xff) {
    add_value(to, in, 0);
    return;
  }
  strbuf_adds(to, "{");
  for (unsigned n = 0; n < OPTIONS_MAX && in->left > 0; n++) {
    const uint8_t kind = input_byte(in);

    if (kind < 240) {
      strbuf_adds(to, "[");
      add_text(to, in, 1 + kind % 12);
      strbuf_adds(to, "] = ");
    }
    if (kind < 224)
      add_list(to, in, 0);
    else
      add_value(to, in, 0);
    strbuf_adds(to, ",");
  }
  strbuf_adds(to, "}");
}

static void check_options(struct script *script, struct fixture *f)
{
  struct strbuf help = { 0 };
  struct err err = { "" };
  bool declared = false;
  int rc = options_declare(script, &f->set, &declared, &err);

  if (rc < 0) {
    MUST(err.text[0] != '\0');
    return;
  }
  for (size_t i = 0; i < f->set.n; i++) {
    const struct opt_entry *e = f->set.entries[i];
    struct strbuf expected = { 0 };

    if (e->section != OPT_SECTION_TEST)
      continue;
    MUST(declared && e->row->name && e->row->help);
    (void)options_is_valid(script, e, opt_get_string(e), &expected);
    strbuf_done(&expected);
  }
  help_test(&help, "fuzz", &f->set);
  MUST(!help.failed);
  MUST(options_export(script->main, &err) == 0);
  strbuf_done(&help);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char stdin_name[] = "<stdin>";
  const struct resolved what = { .kind = RESOLVE_STDIN,
                                 .short_name = stdin_name };
  const struct plan plan = { .threads = 1, .all_threads = 1, .parts = 1 };
  struct input in = { data, size };
  struct bundle bundle = { 0 };
  struct script *script = NULL;
  struct db_process db = { 0 }; /* asked whether the script is bundled */
  struct fixture f;
  struct script_setup setup = {
    .plan = &plan,
    .what = &what,
    .datadir = "/nonexistent",
    .opts = &f.set,
    .cfg = &f.opts.script,
    .bundle = &bundle,
    .db = &db,
  };
  struct err err = { "" };

  add_options(&bundle.script, &in);
  MUST(!bundle.script.failed && fixture_init(&f) == 0);
  if (script_new(&script, &setup, &err) == 0) {
    check_options(script, &f);
    script_free(script);
  } else {
    MUST(err.text[0] != '\0');
  }
  fixture_done(&f);
  bundle_done(&bundle);
  return 0;
}
