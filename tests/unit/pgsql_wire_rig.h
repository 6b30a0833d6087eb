/*
 * pgsql_wire_rig.h - a session of the pgsql driver with one end of a pair of
 * sockets, whose other end acts as the server; and messages of servers.
 */
#ifndef TESTS_UNIT_PGSQL_WIRE_RIG_H
#define TESTS_UNIT_PGSQL_WIRE_RIG_H

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db/emul.h"
#include "drivers/pgsql/session.h"
#include "drivers/pgsql/wire.h"

/* A literal with its zero bytes, and its length. */
#define BYTES(text) (text), sizeof(text) - 1

#define BOUND "2\0\0\0\4"
#define ROW(text) "D\0\0\0\x0b\0\1\0\0\0\1" text
#define NULL_ROW "D\0\0\0\x0a\0\1\xff\xff\xff\xff"
#define SELECTED \
  "C\0\0\0\x0d"  \
  "SELECT 2\0"
#define READY(status) "Z\0\0\0\5" status
#define NOTICE  \
  "N\0\0\0\x0c" \
  "Mquiet\0\0"
#define DESCRIBED "T\0\0\0\6\0\1"
#define FAILED  \
  "E\0\0\0\x1c" \
  "SERROR\0C22012\0Mdivided\0\0"

#define SETTING \
  "S\0\0\0\x08" \
  "a\0b\0"
#define STRINGS_OFF \
  "S\0\0\0\x24"     \
  "standard_conforming_strings\0off\0"
#define COPY_IN "G\0\0\0\7\0\0\0"
#define COPY_OUT "H\0\0\0\7\0\0\0d\0\0\0\6x\nd\0\0\0\6y\nc\0\0\0\4"
#define COPIED  \
  "C\0\0\0\x0b" \
  "COPY 2\0"

struct rig {
  struct pgsql_session session;
  struct pgsql_prepared st;
  int peer;
  struct outcome out;
};

static void rig_init(struct rig *r)
{
  int fd[2];

  memset(r, 0, sizeof(*r));
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd) < 0)
    exit(1);
  r->session.link.fd = fd[0];
  r->peer = fd[1];
  r->st.base.session = &r->session.base;
  r->st.base.sql = "SELECT n FROM t";
  r->st.base.len = strlen(r->st.base.sql);
  memcpy(r->st.name, "bench_1", 8);
}

static void rig_done(struct rig *r)
{
  pgsql_wire_forget(&r->st);
  pgsql_wire_done(&r->session.wire);
  pgsql_done(&r->session.base);
  (void)close(r->session.link.fd);
  if (r->peer >= 0)
    (void)close(r->peer);
}

/*
 * Make these bytes wait for the next statement; `ends`: nothing follows them.
 */
static void rig_says(struct rig *r, const char *bytes, size_t len, bool ends)
{
  if (len > 0 && write(r->peer, bytes, len) != (ssize_t)len)
    exit(1);
  if (ends)
    (void)shutdown(r->peer, SHUT_WR);
  r->out = (struct outcome){ 0 };
}

#endif
