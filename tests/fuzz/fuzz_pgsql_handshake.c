/*
 * fuzz_pgsql_handshake.c - whatever a server says during a login without libpq
 * and in its first answer, the pgsql driver reads it without harm, and never
 * sends the password, unless the session is encrypted.
 *
 * Input: a byte of flags, a byte that says how large the pieces are in which
 * the bytes of the server arrive, and these bytes.
 */
#include <string.h>

#include "drivers/pgsql/handshake.h"
#include "fuzz.h"
#include "pieces.h"

enum {
  FLAG_NO_PASSWORD = 1,
  FLAG_NO_TIME = 2, /* for keys of passwords */
  FLAG_ENCRYPTED = 4,
};

static const char password[] = "never-to-be-seen";

/* How a request to cancel begins: its length, and what it is. */
static const uint8_t cancel[8] = { 0, 0, 0, 16, 4, 210, 22, 46 };

static void check_sent(const struct pgsql_handshake *g,
                       const struct wire_buffer *out)
{
  MUST(out->end == 0 || g->encrypted ||
       !memmem(out->bytes, out->end, password, sizeof(password) - 1));
  MUST(out->end <= 2048);
}

static void check_end(const struct pgsql_handshake *g, enum handshake_rc rc)
{
  MUST(strlen(g->state) == 5 || g->state[0] == '\0');
  MUST(memchr(g->encoding, '\0', sizeof(g->encoding)));
  MUST(!g->can_cancel || memcmp(g->cancel, cancel, sizeof(cancel)) == 0);
  MUST(!(rc == HANDSHAKE_FAILED || rc == HANDSHAKE_CANNOT) || g->text[0]);
  (void)fuzz_touch(g->text, strlen(g->text));
}

static void talk(struct pgsql_handshake *g, const uint8_t *data, size_t size,
                 size_t piece)
{
  struct wire_buffer in = { 0 }, out = { 0 };
  enum handshake_rc rc = HANDSHAKE_MORE;
  bool asked = false;

  MUST(pgsql_handshake_begin(g, &out));
  while (size > 0 && rc == HANDSHAKE_MORE) {
    const size_t n = size < piece ? size : piece;

    fuzz_grow(&in, data, n);
    data += n;
    size -= n;
    check_sent(g, &out);
    wire_buffer_clear(&out);
    rc = pgsql_handshake_take(g, &in, &out);
    MUST(in.pos <= in.end);
    if (rc == HANDSHAKE_READY && !asked) {
      MUST(g->stage == HANDSHAKE_SETTINGS);
      MUST(pgsql_handshake_ask(g, "SELECT 1", 8, &out));
      asked = true;
      rc = HANDSHAKE_MORE;
    }
  }
  check_sent(g, &out);
  check_end(g, rc);
  wire_buffer_done(&in);
  wire_buffer_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct scram_keys keys = { 0 };
  struct pgsql_handshake_who who = { .user = "me", .db = "d" };
  struct pgsql_handshake g = { .who = &who, .keys = &keys };

  if (size < 2)
    return 0;
  who.password = data[0] & FLAG_NO_PASSWORD ? NULL : password;
  g.until_ns = data[0] & FLAG_NO_TIME ? 1 : UINT64_MAX;
  g.encrypted = (data[0] & FLAG_ENCRYPTED) != 0;
  g.end_point_len = g.encrypted ? 32 : 0;
  talk(&g, data + 2, size - 2, 1 + data[1]);
  scram_keys_done(&keys);
  return 0;
}
