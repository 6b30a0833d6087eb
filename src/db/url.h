/*
 * url.h - servers in URLs, environment, option files, and lists of options.
 * The driver translates names; the program decides which source wins.
 */
#ifndef BENCH_DB_URL_H
#define BENCH_DB_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct url;

struct target_sink {
  void *ctx;
  /* *ret_value [opt]. */
  bool (*is_given)(void *ctx, const char *option, const char **ret_value);
  /* Unless given. */
  int (*put)(void *ctx, const char *option, const char *value, struct err *err);
  /* `value` contains the given value. */
  int (*replace)(void *ctx, const char *option, const char *value,
                 struct err *err);
};

struct target_name {
  const char *name, *option;
  bool always; /* as sysbench, too */
};

struct target_pair {
  const char *name, *value; /* value: NULL: without = */
  bool own;                 /* of this program's group: must be known */
};

struct target_names {
  const char *const *aliases; /* [opt] of the driver; ends with NULL */
  const char *const *schemes; /* [opt] of URLs; ends with NULL */
  /* [opt] -EINVAL: a part is invalid; -ENOMEM. */
  int (*url)(const struct url *url, const struct target_sink *to,
             struct err *err);
  /* [opt] Environment; ends with an all-NULL row. */
  const struct target_name *variables;
  /* [opt] Names a service, whose file has all this. */
  const char *service;
  /* [opt] */
  int (*file)(const struct target_pair *pairs, size_t n,
              const struct target_sink *to, struct err *err);
  const char *password;     /* [opt] */
  const char *password_env; /* [opt] */
  const char *library_env;
  const char *user;        /* [opt] */
  const char *file_option; /* [opt] */
  const char *file_env;    /* variable for it */
  const char *home_file;   /* its place in the home folder */
};

/* `list` can be NULL. */
bool target_names_have(const char *const *list, const char *text);

/* - and _ are the same. */
const struct target_name *target_names_find(const struct target_name *rows,
                                            const char *name);

enum {
  URL_HOSTS = 32,
  URL_PARAMETERS = 64,
};

struct url_host {
  const char *host; /* without brackets; can be "" */
  const char *port; /* "" or a number from 1 to 65535 */
};

struct url {
  const char *scheme; /* lower case */
  bool has_authority;
  const char *user, *password; /* [opt] */
  size_t n_hosts;
  struct url_host hosts[URL_HOSTS];
  const char *path; /* after //HOST/; "": none */
  size_t n_parameters;
  struct target_pair parameters[URL_PARAMETERS];
  char *memory; /* owned: all texts, `size` bytes */
  size_t size;
};

/* 0, -EINVAL with a reason, or -ENOMEM.  After success: url_done(). */
int url_parse(const char *text, struct url *ret, struct err *err);
void url_done(struct url *url);

/* The last one (- and _ are the same), or NULL. */
const char *url_parameter(const struct url *url, const char *name);

struct client_file {
  struct target_pair *pairs; /* owned */
  size_t n;
  char *memory; /* owned texts */
};

/* Lines of [client], [client-mariadb] and, as `own`, [bench]; `path` is for
 * messages. -EINVAL, -ENOMEM.  After success: client_file_done(). */
int client_file_parse(const char *text, size_t len, const char *path,
                      struct client_file *ret, struct err *err);
void client_file_done(struct client_file *file);

/* Sockets make hosts and ports unused. */
struct target {
  size_t socket, host, port;
};

/*
 * Connection i of all processes: socket i mod k, or port i mod n of host (i div
 * n) mod m; `attempt` steps from there.  Without sockets, hosts and ports must
 * not be 0.
 */
struct target target_pick(size_t sockets, size_t hosts, size_t ports,
                          uint64_t number, unsigned attempt);

/* A host, folder of sockets (/path) or abstract socket (@name). */
bool target_is_host(const char *text);

bool target_is_database(const char *text);
#define TARGET_DATABASE "the name of a database; a URL belongs to --dsn"

#endif
