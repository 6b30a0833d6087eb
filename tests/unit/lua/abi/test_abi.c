/*
 * test_abi.c - C and Lua agree on every type of the script ABI, and every
 * function of it is there.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/ffi_api.h"
#include "lua/engine/internal_text.h"
#include "tests/unit/tap.h"

static const struct {
  const char *type, *member;
  size_t offset;
} members[] = {
#define MEMBER(type, member)               \
  {                                        \
#type, #member, offsetof(type, member) \
  }
  MEMBER(sb_arg_t, name),
  MEMBER(sb_arg_t, desc),
  MEMBER(sb_arg_t, value),
  MEMBER(sb_arg_t, type),
  MEMBER(sb_arg_t, validate),
  MEMBER(sql_driver, sname),
  MEMBER(sql_driver, lname),
  MEMBER(sql_driver, opaque),
  MEMBER(sql_connection, error),
  MEMBER(sql_connection, sql_errno),
  MEMBER(sql_connection, sql_state),
  MEMBER(sql_connection, sql_errmsg),
  MEMBER(sql_connection, driver),
  MEMBER(sql_connection, opaque),
  MEMBER(sql_statement, connection),
  MEMBER(sql_statement, opaque),
  MEMBER(sql_value, len),
  MEMBER(sql_value, ptr),
  MEMBER(sql_row, ptr),
  MEMBER(sql_row, values),
  MEMBER(sql_result, counter),
  MEMBER(sql_result, nrows),
  MEMBER(sql_result, nfields),
  MEMBER(sql_result, statement),
  MEMBER(sql_result, ptr),
  MEMBER(sql_result, row),
  MEMBER(sql_bind, type),
  MEMBER(sql_bind, buffer),
  MEMBER(sql_bind, data_len),
  MEMBER(sql_bind, max_len),
  MEMBER(sql_bind, is_null),
#undef MEMBER
};

static const struct {
  const char *type;
  size_t size;
} sizes[] = {
#define SIZE(type)      \
  {                     \
#type, sizeof(type) \
  }
  SIZE(sb_arg_t),        SIZE(sql_value),   SIZE(sql_row),
  SIZE(sql_result),      SIZE(sql_bind),    SIZE(sb_arg_type_t),
  SIZE(sb_counter_type), SIZE(sql_error_t), SIZE(sql_bind_type_t),
#undef SIZE
};

static const struct {
  const char *name;
  int value;
} constants[] = {
#define CONSTANT(name) \
  {                    \
#name, name        \
  }
  CONSTANT(SB_ARG_TYPE_NULL),   CONSTANT(SB_ARG_TYPE_BOOL),
  CONSTANT(SB_ARG_TYPE_INT),    CONSTANT(SB_ARG_TYPE_SIZE),
  CONSTANT(SB_ARG_TYPE_DOUBLE), CONSTANT(SB_ARG_TYPE_STRING),
  CONSTANT(SB_ARG_TYPE_LIST),   CONSTANT(SB_ARG_TYPE_FILE),
  CONSTANT(SB_ARG_TYPE_MAX),    CONSTANT(DB_ERROR_NONE),
  CONSTANT(DB_ERROR_IGNORABLE), CONSTANT(DB_ERROR_FATAL),
  CONSTANT(SB_CNT_OTHER),       CONSTANT(SB_CNT_READ),
  CONSTANT(SB_CNT_WRITE),       CONSTANT(SB_CNT_TRX),
  CONSTANT(SB_CNT_ERROR),       CONSTANT(SB_CNT_RECONNECT),
  CONSTANT(SB_CNT_BYTES_READ),  CONSTANT(SB_CNT_BYTES_WRITTEN),
  CONSTANT(SB_CNT_MAX),         CONSTANT(SQL_TYPE_NONE),
  CONSTANT(SQL_TYPE_TINYINT),   CONSTANT(SQL_TYPE_SMALLINT),
  CONSTANT(SQL_TYPE_INT),       CONSTANT(SQL_TYPE_BIGINT),
  CONSTANT(SQL_TYPE_FLOAT),     CONSTANT(SQL_TYPE_DOUBLE),
  CONSTANT(SQL_TYPE_TIME),      CONSTANT(SQL_TYPE_DATE),
  CONSTANT(SQL_TYPE_DATETIME),  CONSTANT(SQL_TYPE_TIMESTAMP),
  CONSTANT(SQL_TYPE_CHAR),      CONSTANT(SQL_TYPE_VARCHAR),
#undef CONSTANT
};

/* Returns the number that a Lua expression has; -1 and a message: an error. */
static long evaluate(lua_State *L, const char *fmt, const char *a,
                     const char *b)
{
  char code[256];
  long value = -1;

  (void)snprintf(code, sizeof(code), fmt, a, b);
  if (luaL_dostring(L, code) == 0)
    value = (long)lua_tonumber(L, -1);
  else
    printf("# %s\n", lua_tostring(L, -1));
  lua_settop(L, 0);
  return value;
}

static void test_types(lua_State *L)
{
  for (size_t i = 0; i < ARRAY_SIZE(members); i++)
    OK(evaluate(L, "return require('ffi').offsetof('%s', '%s')",
                members[i].type, members[i].member) == (long)members[i].offset,
       members[i].member);
  for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
    OK(evaluate(L, "return require('ffi').sizeof('%s%s')", sizes[i].type, "") ==
         (long)sizes[i].size,
       sizes[i].type);
  for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
    OK(evaluate(L, "return require('ffi').C.%s%s", constants[i].name, "") ==
         constants[i].value,
       constants[i].name);
}

/* Sizes and offsets are part of the promise to scripts. */
static void test_promised(void)
{
  OK(sizeof(sb_arg_t) == 40, "sb_arg_t");
  OK(sizeof(sql_value) == 16, "sql_value");
  OK(sizeof(sql_row) == 16, "sql_row");
  OK(sizeof(sql_result) == 48, "sql_result");
  OK(sizeof(sql_bind) == 40, "sql_bind");
  OK(offsetof(sql_connection, sql_errno) == 4 &&
       offsetof(sql_connection, sql_state) == 8 &&
       offsetof(sql_connection, sql_errmsg) == 16 &&
       offsetof(sql_connection, driver) == 24,
     "sql_connection");
  OK(offsetof(sql_value, ptr) == 8 && offsetof(sql_row, values) == 8,
     "values and rows");
  OK(offsetof(sql_result, nrows) == 4 && offsetof(sql_result, nfields) == 8 &&
       offsetof(sql_result, statement) == 16 &&
       offsetof(sql_result, ptr) == 24 && offsetof(sql_result, row) == 32,
     "members of sql_result");
  OK(offsetof(sql_bind, buffer) == 8 && offsetof(sql_bind, data_len) == 16 &&
       offsetof(sql_bind, max_len) == 24 && offsetof(sql_bind, is_null) == 32,
     "members of sql_bind");
  OK(SB_CNT_MAX == 8, "counters");
}

/* Each function is declared under this name for Lua. */
static void test_functions(lua_State *L)
{
  OK(internal_n_functions > 40, "there are functions");
  for (size_t i = 0; i < internal_n_functions; i++)
    OK(internal_functions[i].function &&
         evaluate(L, "require('ffi').typeof(require('ffi').C.%s) return 1%s",
                  internal_functions[i].name, "") == 1,
       internal_functions[i].name);
}

/* Outside of a state the lowest number is drawn. */
static void test_numbers(void)
{
  OK(bench_rand_uniform(-2.9, 5) == -2, "fractions are cut off");
  OK(bench_rand_uniform(1e300, 1e300) == 0x1p63,
     "a number beyond 64 bits becomes the largest one");
  OK(bench_rand_uniform(-1e300, 5) == -0x1p63, "or the smallest one");
}

int main(void)
{
  lua_State *L = luaL_newstate();
  luaL_Buffer text;

  if (!L)
    return 1;
  luaL_openlibs(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "ffi");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "cdef");
  luaL_buffinit(L, &text);
  for (size_t i = 0; i < internal_n_declarations; i++)
    luaL_addstring(&text, internal_declarations[i].text);
  luaL_pushresult(&text);
  OK(lua_pcall(L, 1, 0, 0) == 0, "LuaJIT accepts the declarations");
  lua_settop(L, 0);
  test_types(L);
  test_numbers();
  test_promised();
  test_functions(L);
  lua_close(L);
  return TAP_EXIT();
}
