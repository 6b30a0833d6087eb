/*
 * vm_rig.h - a script in a Lua state that clients share.
 */
#ifndef TESTS_UNIT_LUA_VM_RIG_H
#define TESTS_UNIT_LUA_VM_RIG_H

#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "db/options.h"
#include "drivers/driver_list.h"
#include "drivers/null/driver.h"
#ifdef HAVE_SQLITE
#include "drivers/sqlite/options.h"
#endif
#include "lua/engine/options.h"
#include "lua/engine/script.h"
#include "lua/engine/setup.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "lua/engine/vm.h"
#include "lua/find/resolve.h"
#include "lua/find/search.h"
#include "run/plan.h"
#include "tests/unit/opt_fixture.h"
#include "tests/unit/rand_usual.h"
#include "tests/unit/tap.h"

enum {
  RIG_DRIVERS = 2
};

struct rig {
  char folder[64]; /* temporary; it has the script and its modules */
  char path[320];
  struct fixture opts;
  struct rand_params rand;
  struct plan plan;
  struct resolved what;
  struct null_cfg null;
#ifdef HAVE_SQLITE
  struct sqlite_cfg sqlite;
#endif
  struct driver_config drivers[RIG_DRIVERS];
  struct db_process *db;
  char datadir[256]; /* of the bundled scripts */
  struct script *script;
  struct vm *vm;
  struct state **client;
  unsigned n;
};

/* Writes a file into the folder of the rig. */
static void rig_file(struct rig *r, const char *name, const char *text)
{
  char path[160];
  FILE *f;

  (void)snprintf(path, sizeof(path), "%s/%s", r->folder, name);
  f = fopen(path, "w");
  MUST(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void rig_init(struct rig *r)
{
  memset(r, 0, sizeof(*r));
  (void)snprintf(r->folder, sizeof(r->folder), "/tmp/test_vm.XXXXXX");
  MUST(mkdtemp(r->folder));
  MUST(fixture_init(&r->opts) == 0);
  r->rand = rand_usual(RAND_UNIFORM);
  r->db = calloc(1, sizeof(*r->db));
  MUST(r->db);
  r->drivers[0] = (struct driver_config){ &driver_null, &r->null };
  r->db->n_drivers = 1;
#ifdef HAVE_SQLITE
  r->sqlite = (struct sqlite_cfg){ .db = ":memory:", .busy_timeout_ms = 5000 };
  r->drivers[1] = (struct driver_config){ &driver_sqlite, &r->sqlite };
  r->db->n_drivers = 2;
#endif
  r->db->drivers = r->drivers;
  r->db->set.driver = "null";
  MUST(process_init(r->db, &r->opts.err) == 0);
  (void)snprintf(r->datadir, sizeof(r->datadir), "%s/src/lua/scripts",
                 getenv("BENCH_SRC") ? getenv("BENCH_SRC") : "..");
}

/* Reads the script at `path`, and makes room for `n` clients of it. */
static int rig_load_file(struct rig *r, const char *path, unsigned n,
                         struct err *err)
{
  struct script_setup setup;
  bool declared;
  int rc;

  (void)snprintf(r->path, sizeof(r->path), "%s", path);
  r->plan = (struct plan){
    .seed = 1, .rand = &r->rand, .threads = n, .all_threads = n, .parts = 1
  };
  r->what = (struct resolved){ .kind = RESOLVE_SCRIPT,
                               .path = r->path,
                               .script_path = r->path,
                               .folder = r->folder,
                               .short_name = (char *)(uintptr_t) "script" };
  setup = (struct script_setup){ .plan = &r->plan,
                                 .what = &r->what,
                                 .datadir = r->datadir,
                                 .opts = &r->opts.set,
                                 .db = r->db,
                                 .command = "run",
                                 .cfg = &r->opts.opts.script };
  r->client = calloc(n, sizeof(*r->client));
  MUST(r->client);
  rc = script_new(&r->script, &setup, err);
  if (rc == 0)
    rc = options_declare(r->script, &r->opts.set, &declared, err);
  return rc < 0 ? rc : vm_new(&r->vm, r->script, err);
}

/* Adds a client. */
static int rig_add(struct rig *r, struct err *err)
{
  const struct state_role role = {
    .tid = r->n,
    .purpose = RNG_COMMAND,
    .index = r->n,
    .vm = r->vm,
  };
  struct state *s = NULL;
  int rc = state_new(&s, r->script, &role, err);

  if (rc < 0)
    return rc;
  r->client[r->n++] = s;
  return options_export(s, err);
}

/* Writes a script with this text, and reads it. */
static int rig_load(struct rig *r, const char *text, unsigned n,
                    struct err *err)
{
  char path[160];

  rig_file(r, "script.lua", text);
  (void)snprintf(path, sizeof(path), "%s/script.lua", r->folder);
  return rig_load_file(r, path, n, err);
}

/* Adds that many clients of a script with this text. */
static inline int rig_start(struct rig *r, const char *text, unsigned n,
                            struct err *err)
{
  int rc = rig_load(r, text, n, err);

  while (rc == 0 && r->n < n)
    rc = rig_add(r, err);
  return rc;
}

static void rig_done(struct rig *r)
{
  char command[128];

  while (r->n > 0) {
    (void)state_enter(r->client[--r->n]);
    state_free(r->client[r->n]);
  }
  vm_free(r->vm);
  script_free(r->script);
  (void)process_done(r->db);
  free(r->db);
  free(r->client);
  fixture_done(&r->opts);
  (void)snprintf(command, sizeof(command), "rm -rf '%s'", r->folder);
  MUST(system(command) == 0);
}

/* Calls the global `name` of a client; the error goes to `err`. */
static inline int rig_call(struct rig *r, unsigned client, const char *name,
                           struct err *err)
{
  (void)state_enter(r->client[client]);
  return state_call(r->client[client], name, true, err);
}

/* Does the same, and fails the test if it fails. */
static inline void rig_must(struct rig *r, unsigned client, const char *name)
{
  struct err err = { "" };

  if (rig_call(r, client, name, &err) < 0) {
    printf("# %s\n", err.text);
    MUST(0);
  }
}

#endif
