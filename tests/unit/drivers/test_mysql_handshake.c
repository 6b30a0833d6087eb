/*
 * test_mysql_handshake.c - logins at a MySQL or MariaDB server and the first
 * statement, byte by byte, and servers that leave out steps, lie or talk
 * nonsense.
 */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "drivers/mysql/handshake.h"
#include "tests/unit/tap.h"

/* A literal with its zero bytes, and its length. */
#define BYTES(text) (text), sizeof(text) - 1

#define NATIVE "mysql_native_password"
#define SHA2 "caching_sha2_password"
#define SALT "saltsaltsaltsaltsalt"

/* Flags of the greeting: with and without an end between columns and rows. */
#define FLAGS_HIGH "\x1b\0"
#define FLAGS_HIGH_NO_EOF "\x1b\1"

static struct mysql_handshake_who who;
static struct mysql_handshake greet;
static struct wire_buffer in, out;

static void begin(const char *password)
{
  who = (struct mysql_handshake_who){ .user = "me",
                                      .password = password,
                                      .charset = HANDSHAKE_CHARSET };
  greet = (struct mysql_handshake){ .who = &who };
  wire_buffer_clear(&in);
  wire_buffer_clear(&out);
}

/* A packet of the server, byte by byte; what the client says stays in `out`. */
static enum handshake_rc hear(unsigned seq, const char *packet, size_t len)
{
  enum handshake_rc rc = HANDSHAKE_MORE;
  const uint8_t head[4] = { (uint8_t)len, (uint8_t)(len >> 8), 0,
                            (uint8_t)seq };

  wire_buffer_clear(&out);
  for (size_t i = 0; i < sizeof(head) + len && rc == HANDSHAKE_MORE; i++) {
    MUST(wire_buffer_reserve(&in, in.end + 1));
    in.bytes[in.end++] = i < sizeof(head) ? head[i]
                                          : (uint8_t)packet[i - sizeof(head)];
    rc = mysqld_handshake_take(&greet, &in, &out);
    /* An answer comes with the last byte of what it answers. */
    MUST(i + 1 == sizeof(head) + len || rc != HANDSHAKE_MORE || out.end == 0);
  }
  return rc;
}

/* The greeting of a server. */
static enum handshake_rc hello(const char *plugin, const char *flags_high)
{
  static const char first[] = "\x0a"
                              "8.0.1\0\1\0\0\0saltsalt\0\0\xa2\x21\2\0";
  static const char rest[] = "\x15\0\0\0\0\0\0\0\0\0\0saltsaltsalt";
  char packet[128];
  size_t n = sizeof(first) - 1;

  memcpy(packet, first, n);
  memcpy(packet + n, flags_high, 2);
  n += 2;
  memcpy(packet + n, rest, sizeof(rest)); /* with its zero */
  n += sizeof(rest);
  memcpy(packet + n, plugin, strlen(plugin) + 1);
  return hear(0, packet, n + strlen(plugin) + 1);
}

static bool has_said(const char *bytes, size_t len)
{
  return out.end == len && memcmp(out.bytes, bytes, len) == 0;
}

static bool has_proof(size_t at, size_t n, const char *hex)
{
  char text[2 * SCRAMBLE_MAX + 1] = "";

  if (out.end < at + n)
    return false;
  for (size_t i = 0; i < n; i++)
    (void)snprintf(text + 2 * i, 3, "%02x", out.bytes[at + i]);
  return strcmp(text, hex) == 0;
}

/* By another program, for the password "secret". */
static const char native_proof[] = "f0594bb5f75eac99bdd1de4dcaa8acdb233e7eab";
static const char sha2_proof[] = "1a345e4ef142ab13b89b9339e61b2869"
                                 "fc002999327ce85f60ebf80370c038f0";

enum {
  PROOF_AT = 4 + 32 + 3 + 1 /* of the first answer, to the user "me" */
};

static void log_in(void)
{
  begin(NULL);
  MUST(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE);
  MUST(hear(2, BYTES("\0\0\0\2\0\0\0")) == HANDSHAKE_READY);
  wire_buffer_clear(&out);
  MUST(mysqld_handshake_ask(&greet, "SELECT 1", 8, &out));
}

/* MariaDB has flags in bytes that MySQL leaves free, both ways. */
static void test_bulk(void)
{
  begin(NULL);
  OK(hear(0, BYTES("\x0a"
                   "11.4.2\0\1\0\0\0saltsalt\0\0\xa2\x21\2\0\x1b\0\x15"
                   "\0\0\0\0\0\0\4\0\0\0saltsaltsalt\0" NATIVE)) ==
         HANDSHAKE_MORE &&
       greet.bulk && memcmp(out.bytes + 4 + 28, "\4\0\0\0", 4) == 0,
     "statements with many rows, for a server that has them");
  begin(NULL);
  OK(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE && !greet.bulk &&
       memcmp(out.bytes + 4 + 28, "\0\0\0\0", 4) == 0,
     "and for no other");
}

static void test_native(void)
{
  begin(NULL);
  OK(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE &&
       has_said(
         BYTES("\x4e\0\0\1\0\xa2\x1b\0\0\0\0\x40\x2d"
               "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
               "me\0\0mysql_native_password\0\x13\x0cprogram_name\5bench")),
     "who logs in, without a password");
  OK(hear(2, BYTES("\0\0\0\2\0\0\0")) == HANDSHAKE_READY && greet.ready &&
       greet.id == 1 && greet.status == 2 && out.end == 0,
     "let in, with the number of the session and its status");
  begin("secret");
  who.db = "d";
  OK(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE && out.bytes[4] == 8 &&
       out.bytes[PROOF_AT - 1] == 20 && has_proof(PROOF_AT, 20, native_proof) &&
       memcmp(out.bytes + PROOF_AT + 20, "d\0" NATIVE, 24) == 0,
     "a password and a database");
  begin("secret");
  OK(hello("something_else", FLAGS_HIGH) == HANDSHAKE_MORE &&
       has_proof(PROOF_AT, 20, native_proof),
     "a plug-in that is not known, before the user is");
}

static void test_sha2(void)
{
  begin("secret");
  OK(hello(SHA2, FLAGS_HIGH) == HANDSHAKE_MORE &&
       out.bytes[PROOF_AT - 1] == 32 && has_proof(PROOF_AT, 32, sha2_proof),
     "SHA-256");
  OK(hear(2, BYTES("\1\3")) == HANDSHAKE_MORE && out.end == 0, "the fast way");
  OK(hear(3, BYTES("\0\0\0\2\0\0\0")) == HANDSHAKE_READY, "let in");

  begin("secret");
  who.alone = true;
  MUST(hello(SHA2, FLAGS_HIGH) == HANDSHAKE_MORE);
  OK(hear(2, BYTES("\1\4")) == HANDSHAKE_MORE &&
       has_said(BYTES("\7\0\0\3secret\0")),
     "the whole password, where nobody listens");
  OK(hear(4, BYTES("\0\0\0\2\0\0\0")) == HANDSHAKE_READY, "let in");
  begin("secret");
  MUST(hello(SHA2, FLAGS_HIGH) == HANDSHAKE_MORE);
  OK(hear(2, BYTES("\1\4")) == HANDSHAKE_CANNOT && out.end == 0 &&
       strstr(greet.text, "the whole password"),
     "the whole password, where others may listen");

  begin("");
  OK(hello(SHA2, FLAGS_HIGH) == HANDSHAKE_MORE && out.bytes[PROOF_AT - 1] == 0,
     "no password");
  who.alone = true;
  OK(hear(2, BYTES("\1\4")) == HANDSHAKE_FAILED, "which need not be told");
}

#define FIXED "\0\xaa\x1b\0\0\0\0\x40\x2d" SALTLESS
#define SALTLESS "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define HELLO_TLS                                             \
  "\x0a"                                                      \
  "8.0.1\0\1\0\0\0saltsalt\0\0\xaa\x21\2\0\x1b\0\x15\0\0\0\0" \
  "\0\0\0\0\0\0saltsaltsalt\0" SHA2

static void test_tls(void)
{
  begin("secret");
  who.tls = TLS_REQUIRED;
  OK(hear(0, BYTES(HELLO_TLS)) == HANDSHAKE_READY &&
       greet.stage == HANDSHAKE_TLS && has_said(BYTES("\x20\0\0\1" FIXED)),
     "a request for TLS, and nothing else");
  MUST(mysqld_handshake_log_in(&greet, &out));
  OK(greet.stage == HANDSHAKE_PROOF && out.bytes[36 + 3] == 2 &&
       memcmp(out.bytes + 36 + 4, BYTES(FIXED "me\0\x20")) == 0 &&
       has_proof(36 + PROOF_AT, 32, sha2_proof),
     "then the login");
  OK(hear(3, BYTES("\1\4")) == HANDSHAKE_MORE &&
       has_said(BYTES("\7\0\0\4secret\0")),
     "the whole password, in TLS");
  OK(hear(5, BYTES("\0\0\0\2\0\0\0")) == HANDSHAKE_READY && greet.ready,
     "let in");
  for (enum tls_mode mode = TLS_REQUIRED; mode <= TLS_VERIFY_IDENTITY; mode++) {
    begin("secret");
    who.tls = mode;
    OK(hello(SHA2, FLAGS_HIGH) == HANDSHAKE_FAILED && out.end == 0 &&
         greet.code == CODE_TLS && !greet.refused,
       "a server without TLS is told nothing");
  }
  begin("secret");
  who.tls = TLS_PREFERRED;
  OK(hello(SHA2, FLAGS_HIGH) == HANDSHAKE_READY &&
       greet.stage == HANDSHAKE_PROOF && has_proof(PROOF_AT, 32, sha2_proof),
     "if it is preferred only, the login");
  OK(hear(2, BYTES("\1\4")) == HANDSHAKE_CANNOT && out.end == 0,
     "but not the password");
  begin("secret");
  who.tls = TLS_REQUIRED;
  MUST(sizeof(HELLO_TLS) == 0x49 &&
       wire_buffer_append(&in, BYTES("\x49\0\0\0" HELLO_TLS "\0x")));
  OK(mysqld_handshake_take(&greet, &in, &out) == HANDSHAKE_FAILED &&
       greet.code == CODE_TLS && greet.refused,
     "bytes behind the greeting are no part of the encrypted session");
}

static void test_switch(void)
{
  begin("secret");
  who.alone = true;
  MUST(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE);
  OK(hear(2, BYTES("\xfe" SHA2 "\0" SALT "\0")) == HANDSHAKE_MORE &&
       out.end == 4 + 32 && out.bytes[3] == 3 && has_proof(4, 32, sha2_proof),
     "from one plug-in to the other");
  OK(hear(4, BYTES("\xfe" NATIVE "\0" SALT "\0")) == HANDSHAKE_MORE &&
       out.end == 4 + 20 && out.bytes[3] == 5 && has_proof(4, 20, native_proof),
     "and back");
  OK(hear(6, BYTES("\1\4")) == HANDSHAKE_FAILED && out.end == 0,
     "the password is told by one plug-in only");
  begin(NULL);
  MUST(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE);
  OK(hear(2, BYTES("\xfe" SHA2 "\0" SALT "\0")) == HANDSHAKE_MORE &&
       has_said(BYTES("\0\0\0\3")),
     "without a password");
}

static void test_library(void)
{
  static const struct {
    const char *packet;
    size_t len;
    const char *why;
  } cases[] = {
    { BYTES("\xfe"), "old versions" },
    { BYTES("\xfe"
            "dialog\0\5Password: "),
      "dialog" },
    { BYTES("\xfe"
            "mysql_clear_password\0"),
      "mysql_clear_password" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    begin("secret");
    MUST(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE);
    OK(hear(2, cases[i].packet, cases[i].len) == HANDSHAKE_CANNOT &&
         out.end == 0 && strstr(greet.text, cases[i].why),
       cases[i].why);
  }
  begin(NULL);
  OK(hear(0, BYTES("\x0a"
                   "4.0.1\0\1\0\0\0saltsalt\0\0\0")) == HANDSHAKE_CANNOT &&
       strstr(greet.text, "old version"),
     "an old server");
}

/* ---- answers ---- */

#define COLUMN                           \
  "\3def\0\0\0\0011\0\x0c\x3f\0\1\0\0\0" \
  "\3\x81\0\0\0\0"

static void test_answer(void)
{
  log_in();
  OK(has_said(BYTES("\x09\0\0\0\3SELECT 1")), "a statement");
  MUST(hear(1, BYTES("\1")) == HANDSHAKE_MORE);
  MUST(hear(2, BYTES(COLUMN)) == HANDSHAKE_MORE);
  MUST(hear(3, BYTES("\xfe\0\0\2\0")) == HANDSHAKE_MORE);
  MUST(hear(4, BYTES("\0011")) == HANDSHAKE_MORE);
  OK(hear(5, BYTES("\xfe\0\0\2\0")) == HANDSHAKE_READY && greet.with_rows &&
       greet.columns == 1 && greet.rows == 1,
     "its answer");
  MUST(mysqld_handshake_end(&out));
  OK(has_said(BYTES("\1\0\0\0\1")), "the farewell");

  begin(NULL);
  MUST(hello(NATIVE, FLAGS_HIGH_NO_EOF) == HANDSHAKE_MORE && out.bytes[7] == 1);
  MUST(hear(2, BYTES("\0\0\0\2\0\0\0")) == HANDSHAKE_READY);
  MUST(mysqld_handshake_ask(&greet, "x", 1, &out));
  MUST(hear(1, BYTES("\2")) == HANDSHAKE_MORE);
  MUST(hear(2, BYTES(COLUMN)) == HANDSHAKE_MORE);
  MUST(hear(3, BYTES(COLUMN)) == HANDSHAKE_MORE);
  OK(hear(4, BYTES("\xfe\0\0\2\0\0\0")) == HANDSHAKE_READY &&
       greet.columns == 2 && greet.rows == 0,
     "without an end of columns");

  log_in();
  OK(hear(1, BYTES("\0\5\0\2\0\0\0")) == HANDSHAKE_READY && !greet.with_rows &&
       greet.affected == 5,
     "no rows");
}

static void test_errors(void)
{
  begin(NULL);
  OK(hear(0, BYTES("\xff\x10\4Too many connections")) == HANDSHAKE_FAILED &&
       greet.refused && greet.code == 1040 && greet.state[0] == '\0' &&
       strcmp(greet.text, "Too many connections") == 0,
     "instead of a greeting");
  begin("wrong");
  MUST(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE);
  OK(hear(2, BYTES("\xff\x15\4#28000Access denied")) == HANDSHAKE_FAILED &&
       greet.code == 1045 && strcmp(greet.state, "28000") == 0 &&
       strcmp(greet.text, "Access denied") == 0 && !greet.ready,
     "a refused login");
  log_in();
  OK(hear(1, BYTES("\xff\x7a\4#42S02No table")) == HANDSHAKE_FAILED &&
       greet.code == 1146 && greet.ready,
     "a refused statement");
  log_in();
  MUST(hear(1, BYTES("\1")) == HANDSHAKE_MORE);
  MUST(hear(2, BYTES(COLUMN)) == HANDSHAKE_MORE);
  MUST(hear(3, BYTES("\xfe\0\0\2\0")) == HANDSHAKE_MORE);
  OK(hear(4, BYTES("\xff\x25\5#70100Interrupted")) == HANDSHAKE_FAILED &&
       greet.code == 1317 && greet.ready,
     "among the rows");
  log_in();
  OK(hear(77, BYTES("\xff\x1d\4#08S01Shutdown")) == HANDSHAKE_FAILED &&
       greet.code == 1053,
     "a farewell has any number");
}

static void test_nonsense(void)
{
  static const struct {
    const char *name;
    bool greeted, logged_in;
    unsigned seq;
    const char *packet;
    size_t len;
  } cases[] = {
    { "another version", false, false, 0,
      BYTES("\x09"
            "3.20\0") },
    { "a version without an end", false, false, 0,
      BYTES("\x0a"
            "8.0") },
    { "a greeting that is cut off", false, false, 0,
      BYTES("\x0a"
            "8.0\0\1\0\0\0saltsalt\0\0\xa2\x21\2\0\x1b") },
    { "a greeting without the rest of the number", false, false, 0,
      BYTES("\x0a"
            "8.0\0\1\0\0\0saltsalt\0\0\xa2\x21\2\0\x1b\0\x15"
            "\0\0\0\0\0\0\0\0\0\0salt") },
    { "nothing at all", false, false, 0, BYTES("") },
    { "a wrong number", false, false, 1, BYTES("\x0a") },
    { "an error without a number", true, false, 2, BYTES("\xff\x10") },
    { "an error that is none", true, false, 2, BYTES("\xff\0\0no") },
    { "a wish that belongs to SHA-256", true, false, 2, BYTES("\1\4") },
    { "another plug-in without a number", true, false, 2,
      BYTES("\xfe" SHA2 "\0salt") },
    { "another plug-in without an end", true, false, 2, BYTES("\xfe" SHA2) },
    { "rows before a statement", true, false, 2, BYTES("\2") },
    { "a file is asked for", false, true, 1, BYTES("\xfb/etc/passwd") },
    { "no columns", false, true, 1, BYTES("\xfc\0\0") },
    { "too many columns", false, true, 1, BYTES("\xfd\0\0\1") },
    { "nothing done", false, true, 1, BYTES("\0") },
    { "an empty answer", false, true, 1, BYTES("") },
  };

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    if (cases[i].logged_in)
      log_in();
    else
      begin("secret");
    MUST(!cases[i].greeted || hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE);
    OK(hear(cases[i].seq, cases[i].packet, cases[i].len) == HANDSHAKE_FAILED &&
         out.end == 0 && greet.text[0] && !greet.refused && !greet.ready,
       cases[i].name);
  }
  log_in();
  MUST(hear(1, BYTES("\1")) == HANDSHAKE_MORE);
  OK(hear(2, BYTES("\3def")) == HANDSHAKE_FAILED, "a column that is cut off");
  log_in();
  MUST(hear(1, BYTES("\1")) == HANDSHAKE_MORE);
  MUST(hear(2, BYTES(COLUMN)) == HANDSHAKE_MORE);
  OK(hear(3, BYTES("\0011")) == HANDSHAKE_FAILED, "columns without an end");
}

/* It has answered before it was asked. */
static void test_early(void)
{
  static const char both[] = "\7\0\0\2\0\0\0\2\0\0\0\7\0\0\1\0\0\0\2\0\0\0";

  begin(NULL);
  MUST(hello(NATIVE, FLAGS_HIGH) == HANDSHAKE_MORE);
  MUST(wire_buffer_reserve(&in, in.end + sizeof(both)));
  memcpy(in.bytes + in.end, both, sizeof(both) - 1);
  in.end += sizeof(both) - 1;
  OK(mysqld_handshake_take(&greet, &in, &out) == HANDSHAKE_FAILED &&
       !greet.ready,
     "an answer to a statement that was not sent");
}

/* Rows without an end. */
static void test_flood(void)
{
  enum handshake_rc rc = HANDSHAKE_MORE;
  char row[1000] = "\xfc\xe5\3";
  size_t n = 0;

  log_in();
  MUST(hear(1, BYTES("\1")) == HANDSHAKE_MORE);
  MUST(hear(2, BYTES(COLUMN)) == HANDSHAKE_MORE);
  MUST(hear(3, BYTES("\xfe\0\0\2\0")) == HANDSHAKE_MORE);
  for (unsigned seq = 4;
       rc == HANDSHAKE_MORE && n < 2 * (size_t)HANDSHAKE_TOTAL_MAX;
       n += sizeof(row))
    rc = hear(seq++ & 255, row, sizeof(row));
  OK(rc == HANDSHAKE_FAILED && n <= HANDSHAKE_TOTAL_MAX, "a flood of rows");
}

int main(void)
{
  test_native();
  test_bulk();
  test_sha2();
  test_tls();
  test_switch();
  test_library();
  test_answer();
  test_errors();
  test_nonsense();
  test_early();
  test_flood();
  wire_buffer_done(&in);
  wire_buffer_done(&out);
  return TAP_EXIT();
}
