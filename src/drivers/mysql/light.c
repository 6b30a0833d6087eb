/*
 * light.c - sessions that keep their socket, and nothing of the client library.
 *
 * The library closes a connection by saying good-bye on its descriptor.  So
 * that descriptor becomes another socket, which is connected to nobody: what is
 * sent there fails, and no signal comes of it.
 */
#include "drivers/mysql/light.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/mysql/bytes.h"
#include "drivers/mysql/escape.h"
#include "drivers/mysql/session.h"
#include "loop/loop.h"
#include "os/os.h"

/* Without the library, text is escaped byte by byte. */
static bool is_possible(const struct mysql_session *s)
{
  return s->open && s->mysql && s->backend == &mysqld_wire_backend &&
         mysqld_escape_fits(mysql_character_set_name(s->mysql));
}

/* The library gets a dead socket with the number of this one, which goes on
 * with another number.  -1: nothing has changed. */
static int take_socket(int fd)
{
  const int dead = os_stream_socket(AF_UNIX);
  int mine;

  if (dead < 0)
    return -1;
  mine = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (mine >= 0) {
    loop_forget(fd);
    if (dup2(dead, fd) < 0) {
      (void)close(mine);
      mine = -1;
    }
  }
  (void)close(dead);
  return mine;
}

void mysqld_light_make(struct mysql_session *s)
{
  const int fd = is_possible(s) ? take_socket(s->fd) : -1;

  if (fd < 0)
    return;
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
