/*
 * url.h - how a server is named besides the options of a driver: in URLs, in
 * the environment, in files of the database's own programs.
 *
 * A driver translates such names into values of its options; the program
 * decides which of several sources wins.
 */
#ifndef BENCH_DB_URL_H
#define BENCH_DB_URL_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct url;

/* Where values go. */
struct target_sink {
  void *ctx;
  /* A source that wins has given this option; its value is *ret_value [opt]. */
  bool (*is_given)(void *ctx, const char *option, const char **ret_value);
  /* Set the option, unless it is given. */
  int (*put)(void *ctx, const char *option, const char *value, struct err *err);
  /* Set it in any case: `value` holds what was given. */
  int (*replace)(void *ctx, const char *option, const char *value,
                 struct err *err);
};

/* A name of another program, and the option that it stands for. */
struct target_name {
  const char *name, *option;
  bool always; /* a variable that is read under the name sysbench, too */
};

/* A line of an option file, or a parameter of a URL. */
struct target_pair {
  const char *name, *value; /* value: NULL: there is no = */
  bool own; /* in a group of this program's own: it must be known */
};

struct target_names {
  const char *const *aliases; /* [opt] of the driver; ends with NULL */
  const char *const *schemes; /* [opt] of URLs; ends with NULL */
  /* [opt] -EINVAL: a part has no meaning; -ENOMEM. */
  int (*url)(const struct url *url, const struct target_sink *to,
             struct err *err);
  /* [opt] Environment, ends with an all-NULL row. */
  const struct target_name *variables;
  /* [opt] A variable that names a service, whose file has all of this: options
   * that are not given are then left to the library. */
  const char *service;
  /* [opt] Lines of an option file. */
  int (*file)(const struct target_pair *pairs, size_t n,
              const struct target_sink *to, struct err *err);
  const char *password;     /* [opt] option for the password */
  const char *password_env; /* [opt] variable for it, before option files */
  const char *user;         /* [opt] option for the user */
  const char *file_option;  /* [opt] option that names the option file */
  const char *file_env;     /* ... the variable that does */
  const char *home_file;    /* ... its name in the user's own folder */
};

/* Is the text in the list?  `list` may be NULL. */
bool target_names_have(const char *const *list, const char *text);

/* The row with this name, where - and _ are the same, or NULL. */
const struct target_name *target_names_find(const struct target_name *rows,
                                            const char *name);

enum {
  URL_HOSTS = 32,
  URL_PARAMETERS = 64,
};

struct url_host {
  const char *host; /* without brackets; may be "" */
  const char *port; /* "": none; else a number from 1 to 65535 */
};

struct url {
  const char *scheme;          /* in lower case */
  bool has_authority;          /* it has // after the scheme */
  const char *user, *password; /* NULL: none */
  size_t n_hosts;
  struct url_host hosts[URL_HOSTS];
  const char *path; /* with // and a path: without its first /; "": none */
  size_t n_parameters;
  struct target_pair parameters[URL_PARAMETERS];
  char *memory; /* owned: all texts, `size` bytes */
  size_t size;
};

/* 0, -EINVAL with a reason, or -ENOMEM.  After success the caller ends it with
 * url_done(). */
int url_parse(const char *text, struct url *ret, struct err *err);
void url_done(struct url *url);

/* The value of the last parameter with this name (- and _ are the same), or
 * NULL. */
const char *url_parameter(const struct url *url, const char *name);

struct client_file {
  struct target_pair *pairs; /* owned */
  size_t n;
  char *memory; /* owned: the texts */
};

/*
 * The lines of the groups [client], [client-mariadb] and, as `own`, [bench], in
 * their order; `path` is for messages.  -EINVAL: a line is malformed, err says
 * which; -ENOMEM.  After success the caller ends it with client_file_done().
 */
int client_file_parse(const char *text, size_t len, const char *path,
                      struct client_file *ret, struct err *err);
void client_file_done(struct client_file *file);

#endif
