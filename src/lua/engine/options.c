#include "lua/engine/options.h"

#include <errno.h>
#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/parse.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "opt/help.h"
#include "opt/optset.h"
#include "run/plan.h"

/* ---- from the script's table to rows ---- */

static int copy_args(struct script_args *to, const sb_arg_t *args, size_t len)
{
  to->of = calloc(len ? len : 1, sizeof(*to->of));
  if (!to->of)
    return -ENOMEM;
  for (size_t i = 0; i < len; i++) {
    sb_arg_t *arg = &to->of[i];

    to->n = i + 1;
    arg->name = mem_strdup(args[i].name);
    arg->desc = mem_strdup(args[i].desc ? args[i].desc : "");
    arg->value = args[i].value ? mem_strdup(args[i].value) : NULL;
    arg->type = args[i].type;
    arg->validate = args[i].validate;
    if (!arg->name || !arg->desc || (args[i].value && !arg->value))
      return -ENOMEM;
  }
  return 0;
}

int options_set_args(struct state *s, const sb_arg_t *args, size_t n)
{
  struct script_args copy = { 0 };

  if (s != s->script->main) /* only the main state's body counts */
    return 0;
  if (copy_args(&copy, args, n) < 0) {
    script_args_done(&copy);
    return -ENOMEM;
  }
  script_args_done(&s->script->args);
  s->script->args = copy;
  return 0;
}

static enum opt_type options_type_of(sb_arg_type_t type)
{
  switch (type) {
  case SB_ARG_TYPE_BOOL:
    return OPT_TYPE_BOOL;
  case SB_ARG_TYPE_INT:
    return OPT_TYPE_INT;
  case SB_ARG_TYPE_SIZE:
    return OPT_TYPE_SIZE;
  case SB_ARG_TYPE_DOUBLE:
    return OPT_TYPE_DOUBLE;
  case SB_ARG_TYPE_LIST:
    return OPT_TYPE_LIST;
  case SB_ARG_TYPE_FILE:
    return OPT_TYPE_FILE;
  default:
    return OPT_TYPE_STRING;
  }
}

/* sysbench cuts off a suffix of a number: under its name, a suffix is an
 * error.  Messages then show the script's own spelling. */
static unsigned options_flags_of(const struct script *script,
                                 sb_arg_type_t type)
{
  if (script->setup.plan->identity == IDENTITY_SYSBENCH)
    return 0;
  return type == SB_ARG_TYPE_INT || type == SB_ARG_TYPE_DOUBLE
           ? OPT_DASHED | OPT_COUNT
           : OPT_DASHED;
}

static void options_push_member(lua_State *L, const char *key)
{
  lua_pushstring(L, key);
  if (lua_istable(L, -2))
    lua_rawget(L, -2);
}

static const char *options_text_member(lua_State *L, const char *key)
{
  const char *text;

  options_push_member(L, key);
  text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  lua_pop(L, 1);
  return text;
}

static int64_t options_unit_ns(const char *unit)
{
  if (strcmp(unit, "us") == 0)
    return 1000;
  return strcmp(unit, "ms") == 0 ? 1000 * 1000 : 1000 * 1000 * 1000;
}

/* Named members, for bench's own scripts. */
static void options_add_named(lua_State *L, struct opt *row)
{
  const char *unit;

  row->aliases = options_text_member(L, "aliases");
  row->show_as = options_text_member(L, "shows");
  unit = options_text_member(L, "unit");
  if (unit)
    row->flags &= ~(unsigned)OPT_COUNT; /* m: minutes */
  if (unit && strcmp(unit, "%") == 0)
    row->flags |= OPT_PERCENT;
  else if (unit)
    row->unit_ns = options_unit_ns(unit);
  options_push_member(L, "hidden");
  row->flags |= lua_toboolean(L, -1) ? OPT_HIDDEN : 0;
  lua_pop(L, 1);
}

static int options_declare_args(struct script *script, struct optset *set,
                                struct err *err)
{
  lua_State *L = script->main->L;
  const int top = lua_gettop(L);

  for (size_t i = 0; i < script->args.n; i++) {
    const sb_arg_t *arg = &script->args.of[i];
    struct opt row = {
      .type = options_type_of(arg->type),
      .flags = options_flags_of(script, arg->type),
      .name = arg->name,
      .def = arg->value,
      .help = arg->desc,
    };
    int rc;

    state_push_field(script->main, "cmdline", "options");
    options_push_member(L, row.name);
    if (lua_istable(L, -1))
      options_add_named(L, &row);
    lua_settop(L, top);
    rc = optset_declare(set, script->name, &row, NULL, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

int options_declare(struct script *script, struct optset *set,
                    bool *ret_declared, struct err *err)
{
  static const char reader[] = "sysbench.cmdline.read_cmdline_options";
  struct state *s = script->main;
  int rc;

  state_push_field(s, "cmdline", "read_cmdline_options");
  rc = state_call_top(s, reader, 0, 1, err);
  if (rc < 0)
    return rc;
  script->declared = lua_toboolean(s->L, -1);
  lua_pop(s->L, 1);
  rc = options_declare_args(script, set, err);
  if (rc < 0) {
    err_prefix(err, "`%s' function failed", reader);
    return rc;
  }
  *ret_declared = script->declared;
  return 0;
}

/* Calls host.validate(name, value): a boolean and perhaps the allowed
 * values. */
static bool options_ask_lua(struct state *s, const char *name,
                            const char *value, struct strbuf *ret_expected)
{
  lua_State *L = s->L;
  bool valid;

  lua_getfield(L, LUA_REGISTRYINDEX, "bench.host");
  lua_getfield(L, -1, "validate");
  lua_remove(L, -2);
  lua_pushstring(L, name);
  lua_pushstring(L, value);
  if (lua_pcall(L, 2, 2, 0) != 0) {
    lua_pop(L, 1);
    return false;
  }
  valid = lua_toboolean(L, -2);
  if (!valid && lua_type(L, -1) == LUA_TSTRING)
    strbuf_adds(ret_expected, lua_tostring(L, -1));
  lua_pop(L, 2);
  return valid;
}

/* Without a suffix, which scripts do not understand, in `digits`. */
static const char *options_plain_number(const struct opt *row,
                                        const char *value, char digits[24])
{
  double number;
  uint64_t count;

  if (!(row->flags & OPT_COUNT) || parse_double(value, &number) == 0 ||
      parse_size(value, &count) < 0)
    return value;
  (void)snprintf(digits, 24, "%" PRIu64, count);
  return digits;
}

bool options_is_valid(void *arg, const struct opt_entry *e, const char *given,
                      struct strbuf *ret_expected)
{
  struct script *script = arg;
  char digits[24];
  const char *value = options_plain_number(e->row, given, digits);

  for (size_t i = 0; i < script->args.n; i++) {
    const sb_arg_t *a = &script->args.of[i];

    if (strcmp(a->name, e->row->name) != 0)
      continue;
    if (a->validate)
      return a->validate(a->name, value);
    break;
  }
  return options_ask_lua(script->main, e->row->name, value, ret_expected);
}

void options_print(const struct script *script, struct strbuf *out)
{
  help_test(out, script->name, script->setup.opts);
}

int options_data_size(const struct script *script, const char *units,
                      uint64_t *ret, struct strbuf *text)
{
  const struct optset *set = script->setup.opts;
  const struct opt_entry *size = optset_find(set, "data_size");
  const struct opt_entry *other = optset_find(set, units);

  if (!size || size->source == OPT_SOURCE_DEFAULT)
    return 0;
  *ret = (uint64_t)opt_get_int(size);
  strbuf_addf(text, "--data-size=%s", opt_get_string(size));
  if (!other || other->source == OPT_SOURCE_DEFAULT) {
    strbuf_adds(text, ": ");
    return 0;
  }
  strbuf_adds(text, " and --");
  opt_value_spell(other->row, text);
  strbuf_adds(text, " both set the size of the tables: use one");
  return -EINVAL;
}

/* ---- sysbench.opt ---- */

static void options_push_list(lua_State *L, const struct opt_list *list)
{
  lua_createtable(L, (int)list->n, 0);
  for (size_t i = 0; i < list->n; i++) {
    lua_pushstring(L, list->items[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

/* Scripts see lists as a text and a number: in sysbench, such options take
 * one value. */
static bool options_push_single(lua_State *L, const char *name,
                                const struct opt_entry *e)
{
  const char *text = opt_get_string(e);
  int64_t number;

  if (strcmp(name, "pgsql_host") != 0 && strcmp(name, "pgsql_port") != 0)
    return false;
  if (strcmp(name, "pgsql_port") == 0 && parse_int(text, &number) == 0)
    lua_pushnumber(L, (lua_Number)number);
  else
    lua_pushstring(L, text);
  return true;
}

static void options_push_value(lua_State *L, const char *name,
                               const struct opt_entry *e)
{
  const struct opt_entry *shown = opt_shown(e);

  switch (shown->row->type) {
  case OPT_TYPE_BOOL:
    lua_pushboolean(L, opt_get_bool(e));
    break;
  case OPT_TYPE_INT:
  case OPT_TYPE_SIZE:
  case OPT_TYPE_DOUBLE:
  case OPT_TYPE_TIME:
    lua_pushnumber(L, opt_get_number(e));
    break;
  case OPT_TYPE_LIST:
    if (!options_push_single(L, name, e))
      options_push_list(L, opt_get_list(e));
    break;
  case OPT_TYPE_FILE:
    lua_pushnil(L);
    break;
  default:
    lua_pushstring(L, opt_get_string(e));
  }
}

static void lua_name(const char *name, char *out, size_t size)
{
  size_t i = 0;

  for (; name[i] && i + 1 < size; i++)
    out[i] = name[i] == '-' ? '_' : name[i];
  out[i] = '\0';
}

static void options_push_loaded(struct state *s)
{
  if (!s->vm) {
    lua_getfield(s->L, LUA_REGISTRYINDEX, "_LOADED");
    return;
  }
  state_push_host(s);
  lua_getfield(s->L, -1, "loaded");
  lua_remove(s->L, -2);
}

/*
 * Sets a global to the value on top, which stays.  Leaves a function, a
 * library, and `test`, the path of the script; `weak`: any global that exists.
 */
static void options_set_global(struct state *s, const char *name, bool weak)
{
  lua_State *L = s->L;
  bool taken;

  if (strcmp(name, "test") == 0)
    return;
  state_push_global(s, name);
  taken = lua_isfunction(L, -1) || (weak && !lua_isnil(L, -1));
  if (lua_istable(L, -1)) {
    options_push_loaded(s);
    lua_getfield(L, -1, name);
    taken = taken || lua_rawequal(L, -1, -3) || strcmp(name, "sysbench") == 0 ||
            strcmp(name, "ffi") == 0;
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  if (taken)
    return;
  lua_pushstring(L, name);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_GLOBALSINDEX);
}

static bool options_is_threads(const struct opt_entry *e)
{
  const struct opt_entry *shown = opt_shown(e);

  return shown->section == OPT_SECTION_GENERAL &&
         strcmp(shown->row->name, "threads") == 0;
}

static void options_push(struct state *s)
{
  const struct optset *set = s->script->setup.opts;
  lua_State *L = s->L;
  char name[256];

  lua_createtable(L, 0, (int)set->n);
  for (size_t i = 0; i < set->n; i++) {
    const struct opt_entry *e = set->entries[i];

    lua_name(e->row->name, name, sizeof(name));
    if (options_is_threads(e)) /* all processes divide the work */
      lua_pushnumber(L, s->script->setup.plan->all_threads);
    else
      options_push_value(L, name, e);
    lua_setfield(L, -2, name);
  }
}

/* For a client.  The many values are in a table of the vm. */
static void options_push_client(struct state *s)
{
  lua_State *L = s->L;
  bool known;

  state_push_host(s);
  lua_getfield(L, -1, "options_known");
  known = lua_toboolean(L, -1);
  lua_pop(L, 1);
  lua_getfield(L, -1, "new_options");
  lua_remove(L, -2);
  if (known)
    lua_pushnil(L);
  else
    options_push(s);
  lua_call(L, 1, 1);
}

/* For scripts that declare no options. */
static void options_set_globals(struct state *s)
{
  const struct optset *set = s->script->setup.opts;
  lua_State *L = s->L;
  char name[256];

  for (size_t i = 0; i < set->n; i++) {
    const struct opt_entry *e = set->entries[i];

    lua_name(e->row->name, name, sizeof(name));
    lua_getfield(L, -1, name);
    options_set_global(s, name, e->row->flags & OPT_OWN);
    lua_pop(L, 1);
  }
}

static int export_options(lua_State *L)
{
  struct state *s = lua_touserdata(L, 1);

  state_push_global(s, "sysbench");
  if (!lua_istable(L, -1))
    return luaL_error(L, "the global 'sysbench' is not a table any more");
  if (s->vm)
    options_push_client(s);
  else
    options_push(s);
  if (!s->script->declared)
    options_set_globals(s);
  lua_setfield(L, -2, "opt");
  return 0;
}

int options_export(struct state *s, struct err *err)
{
  const int rc = lua_cpcall(s->L, export_options, s);

  return rc == 0 ? 0 : state_make_failed(s, rc, err);
}
