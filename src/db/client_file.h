/*
 * client_file.h - an option file of the MySQL family: groups, names, values.
 *
 *   [client]
 *   user = alice
 *   password = "a # is no comment in quotes"
 *   ssl
 *
 * Lines that include other files are not followed.
 */
#ifndef BENCH_DB_CLIENT_FILE_H
#define BENCH_DB_CLIENT_FILE_H

#include <stddef.h>

#include "db/names.h"

struct err;

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
