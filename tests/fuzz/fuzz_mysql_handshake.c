/*
 * fuzz_mysql_handshake.c - whatever a server says during a login without the
 * client library and in its first answer, the mysql driver reads it without
 * harm, and sends the password only where nobody can listen.
 *
 * Input: a byte of flags, a byte that says how large the pieces are in which
 * the bytes of the server arrive, and these bytes.
 */
#include <string.h>

#include "drivers/mysql/handshake.h"
#include "fuzz.h"
#include "pieces.h"

enum {
  FLAG_NO_PASSWORD = 1,
  FLAG_ALONE = 2,
  FLAG_DB = 4,
};

static const char password[] = "never to be seen";

static void check_sent(const struct mysql_handshake *g,
                       const struct wire_buffer *out)
{
  MUST(g->who->alone || out->end == 0 ||
       !memmem(out->bytes, out->end, password, sizeof(password) - 1));
  MUST(out->end <= 2048);
}

static void check_end(const struct mysql_handshake *g, enum handshake_rc rc)
{
  MUST(strlen(g->state) == 5 || g->refused || g->state[0] == '\0');
  MUST(!(rc == HANDSHAKE_FAILED || rc == HANDSHAKE_CANNOT) || g->refused ||
       g->text[0]);
  MUST(rc != HANDSHAKE_FAILED || g->code != 0);
  MUST(rc != HANDSHAKE_READY || g->ready);
  MUST(g->with_rows == (g->columns > 0));
  (void)fuzz_touch(g->text, strlen(g->text));
}

static void talk(struct mysql_handshake *g, const uint8_t *data, size_t size,
                 size_t piece)
{
  struct wire_buffer in = { 0 }, out = { 0 };
  enum handshake_rc rc = HANDSHAKE_MORE;
  bool asked = false;

  while (size > 0 && rc == HANDSHAKE_MORE) {
    const size_t n = size < piece ? size : piece;

    fuzz_grow(&in, data, n);
    data += n;
    size -= n;
    wire_buffer_clear(&out);
    rc = mysqld_handshake_take(g, &in, &out);
    MUST(in.pos <= in.end);
    check_sent(g, &out);
    if (rc == HANDSHAKE_READY && !asked) {
      MUST(g->stage == HANDSHAKE_IDLE);
      MUST(mysqld_handshake_ask(g, "SELECT 1", 8, &out));
      asked = true;
      rc = HANDSHAKE_MORE;
    }
  }
  check_end(g, rc);
  wire_buffer_done(&in);
  wire_buffer_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct mysql_handshake_who who = { .user = "me" };
  struct mysql_handshake g = { .who = &who };

  if (size < 2)
    return 0;
  who.password = data[0] & FLAG_NO_PASSWORD ? NULL : password;
  who.alone = (data[0] & FLAG_ALONE) != 0;
  who.db = data[0] & FLAG_DB ? "d" : NULL;
  talk(&g, data + 2, size - 2, 1 + data[1]);
  return 0;
}
