/*
 * light.c - sessions that keep their socket, and nothing of the client library.
 */
#include "drivers/mysql/light.h"

#include <sys/socket.h>
#include <unistd.h>

#include "drivers/mysql/bytes.h"
#include "drivers/mysql/escape.h"
#include "drivers/mysql/session.h"
#include "drivers/wire/detach.h"
#include "loop/loop.h"

/* Without the library, text is escaped byte by byte. */
static bool is_possible(const struct mysql_session *s)
{
  return s->open && s->mysql && s->backend == &mysqld_wire_backend &&
         mysqld_escape_fits(mysql_character_set_name(s->mysql));
}

void mysqld_light_make(struct mysql_session *s)
{
  const int fd = is_possible(s) ? wire_detach(s->fd) : -1;

  if (fd < 0)
    return;
  loop_forget(s->fd);
  s->fd = fd;
  mysql_close(s->mysql);
  s->mysql = NULL;
  mysqld_wire_lighten(&s->wire);
}

void mysqld_light_close(struct mysql_session *s)
{
  static const uint8_t quit[] = { 1, 0, 0, 0, COMMAND_QUIT };

  if (s->lost || s->more)
    (void)shutdown(s->fd, SHUT_RDWR);
  else
    (void)send(s->fd, quit, sizeof(quit), MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)close(s->fd);
  s->fd = -1;
}
