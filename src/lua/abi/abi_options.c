/*
 * abi_options.c - functions of sysbench.cmdline that declare and print options.
 */
#include <stdio.h>
#include <string.h>

#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "lua/engine/options.h"
#include "lua/engine/state.h"

int sb_lua_set_test_args(sb_arg_t *args, size_t len)
{
  struct state *s = state_current();

  return s && options_set_args(s, args, len) == 0 ? 0 : 1;
}

/* Prints the options without the title line, as scripts do. */
void sb_print_test_options(void)
{
  const struct state *s = state_current();
  struct strbuf b = { 0 };
  const char *rows;

  if (!s)
    return;
  options_print(s->script, &b);
  rows = strchr(strbuf_str(&b), '\n');
  if (rows)
    (void)fputs(rows + 1, stdout);
  strbuf_done(&b);
}
