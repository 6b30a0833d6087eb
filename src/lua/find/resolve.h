/*
 * resolve.h - finds what the test name on the command line means.
 *
 * Pure: a function is asked which files exist, so that the rules can be tested
 * without files.
 */
#ifndef BENCH_LUA_FIND_RESOLVE_H
#define BENCH_LUA_FIND_RESOLVE_H

#include <stdbool.h>

struct err;
struct strbuf;

enum resolve_kind {
  RESOLVE_STDIN,   /* no name, or "-" */
  RESOLVE_BUILTIN, /* one of the built-in tests */
  RESOLVE_SCRIPT,
};

struct resolve_rules {
  /* Does a file (not a folder) of this name exist? */
  bool (*exists)(const char *path, void *arg);
  void *arg;
  const char *package_path;    /* that of the Lua states, see search_path() */
  const char *datadir;         /* the folder of the bundled scripts */
  const char *const *builtins; /* names of built-in tests; ends with NULL */
};

/* All texts are owned; resolved_done() frees them. */
struct resolved {
  enum resolve_kind kind;
  char *path;        /* RESOLVE_SCRIPT: the file to read */
  char *script_path; /* as scripts see it; NULL for RESOLVE_STDIN */
  char *module;      /* [opt] plain names: the argument of the body */
  char *folder;      /* [opt] searched for its modules, too */
  char *short_name;  /* for messages: "oltp", "<stdin>" */
  char *warning;     /* [opt] printed as a WARNING */
};

/* Resolve a name.  -ENOENT: not found; `err` has the message.  -ENOMEM. */
int resolve_name(struct resolved *ret, const char *name,
                 const struct resolve_rules *rules, struct err *err);

/*
 * Add the folders in which resolve_name() looks for `name`: each once, quoted,
 * separated by commas.
 */
void resolve_folders(struct strbuf *out, const char *name,
                     const struct resolve_rules *rules);

void resolved_done(struct resolved *r);

#endif
