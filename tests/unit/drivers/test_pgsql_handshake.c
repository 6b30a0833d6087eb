/*
 * test_pgsql_handshake.c - logins at a PostgreSQL server and the first
 * statement, byte by byte, and servers that leave out steps, lie or talk
 * nonsense.
 */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/digest.h"
#include "base/wait.h"
#include "drivers/pgsql/handshake.h"
#include "drivers/wire/base64.h"
#include "tests/unit/tap.h"

/* A literal with its zero bytes, and its length. */
#define BYTES(text) (text), sizeof(text) - 1

#define READY(status) "Z\0\0\0\5" status
#define SETTING \
  "S\0\0\0\x08" \
  "a\0b\0"
#define NOTICE  \
  "N\0\0\0\x0c" \
  "Mquiet\0\0"
#define DESCRIBED "T\0\0\0\6\0\1"
#define ROW(text) "D\0\0\0\x0b\0\1\0\0\0\1" text
#define FAILED  \
  "E\0\0\0\x1c" \
  "SERROR\0C22012\0Mdivided\0\0"
#define COPY_IN "G\0\0\0\7\0\0\0"
#define LOGIN_OK "R\0\0\0\x08\0\0\0\0"
#define PLAIN "R\0\0\0\x08\0\0\0\3"
#define GSS "R\0\0\0\x08\0\0\0\7"
#define ASK_MD5 "R\0\0\0\x0c\0\0\0\5salt"
#define ASK_SCRAM "R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0"
#define ASK_TOKEN "R\0\0\0\x15\0\0\0\x0aOAUTHBEARER\0\0"
#define ASK_BOTH          \
  "R\0\0\0\x23\0\0\0\x0a" \
  "OAUTHBEARER\0SCRAM-SHA-256\0\0"
#define NOT_THIS "R\0\0\0\x17\0\0\0\x0b{\"status\"\n:\"x\"}"
#define ASK_OTHER "R\0\0\0\x0b\0\0\0\x0aX\0\0"
#define KEY "K\0\0\0\x0c\0\0\0\1\0\0\0\2"
#define ONE_ROW                    \
  DESCRIBED ROW("1") "C\0\0\0\x0d" \
                     "SELECT 1\0"

static struct pgsql_handshake_who who;
static struct pgsql_handshake greet;
static struct scram_keys keys;
static struct wire_buffer in, out;

static void begin(const char *password)
{
  who = (struct pgsql_handshake_who){ .user = "me", .password = password };
  greet = (struct pgsql_handshake){ .who = &who,
                                    .keys = &keys,
                                    .until_ns = WAIT_FOREVER };
  wire_buffer_clear(&in);
  wire_buffer_clear(&out);
  MUST(pgsql_handshake_begin(&greet, &out));
}

/* The server says this, byte by byte; what the client says stays in `out`. */
static enum handshake_rc hear(const char *bytes, size_t len)
{
  enum handshake_rc rc = HANDSHAKE_MORE;

  wire_buffer_clear(&out);
  for (size_t i = 0; i < len && rc == HANDSHAKE_MORE; i++) {
    MUST(wire_buffer_reserve(&in, in.end + 1));
    in.bytes[in.end++] = (uint8_t)bytes[i];
    rc = pgsql_handshake_take(&greet, &in, &out);
    /* An answer comes with the last byte of what it answers. */
    MUST(i + 1 == len || rc != HANDSHAKE_MORE || out.end == 0);
  }
  return rc;
}

static bool has_said(const char *bytes, size_t len)
{
  return out.end == len && memcmp(out.bytes, bytes, len) == 0;
}

static void test_trust(void)
{
  begin(NULL);
  OK(has_said(BYTES("\0\0\0\x28\0\3\0\0user\0me\0application_name\0bench\0\0")),
     "who logs in");
  OK(hear(BYTES(LOGIN_OK)) == HANDSHAKE_MORE && out.end == 0, "let in");
  OK(hear(BYTES(SETTING KEY NOTICE)) == HANDSHAKE_MORE, "settings");
  OK(hear(BYTES(READY("I"))) == HANDSHAKE_READY, "ready");
  wire_buffer_clear(&out);
  MUST(pgsql_handshake_ask(&greet, "SELECT 1", 8, &out));
  OK(has_said(BYTES("Q\0\0\0\x0dSELECT 1\0")), "a statement");
  OK(hear(BYTES(ONE_ROW NOTICE READY("I"))) == HANDSHAKE_READY &&
       greet.with_rows && greet.rows == 1 && greet.columns == 1,
     "its answer");
  wire_buffer_clear(&out);
  MUST(pgsql_handshake_end(&out));
  OK(has_said(BYTES("X\0\0\0\4")), "the farewell");
  begin(NULL);
  who.db = "d";
  who.options = "-c x=1";
  wire_buffer_clear(&out);
  MUST(pgsql_handshake_begin(&greet, &out));
  OK(has_said(BYTES("\0\0\0\x42\0\3\0\0user\0me\0database\0d\0options\0-c x=1\0"
                    "application_name\0bench\0\0")),
     "a database and options");
}

/* digest_md5(digest_md5("secret" "me") "salt"), by another program. */
static void test_md5(void)
{
  begin("secret");
  OK(hear(BYTES(ASK_MD5)) == HANDSHAKE_MORE &&
       has_said(BYTES("p\0\0\0\x28md541c83370953958037c7298c50b238bda\0")),
     "md5");
  OK(hear(BYTES(LOGIN_OK READY("I"))) == HANDSHAKE_READY, "let in");
  begin("secret");
  OK(hear(BYTES("R\0\0\0\x0b\0\0\0\5sal")) == HANDSHAKE_FAILED, "a short salt");
}

/* ---- SCRAM ---- */

/* The server's part, with the hashes that test_digests.c has tested. */
static struct {
  char nonce[64], first[128], client[64], last[64];
} server;

static size_t request(char *to, uint8_t kind, const char *text)
{
  const size_t n = strlen(text);

  memcpy(to, "R\0\0\0\0\0\0\0", 8);
  to[4] = (char)(8 + n);
  to[8] = (char)kind;
  memcpy(to + 9, text, n);
  return 9 + n;
}

static enum handshake_rc challenge(const char *iterations)
{
  char message[256];

  MUST(out.end == 5 + 14 + 4 + 32 &&
       memcmp(out.bytes + 5, "SCRAM-SHA-256\0\0\0\0\x20n,,n=,r=", 26) == 0);
  (void)snprintf(server.client, sizeof(server.client), "n=,r=%.24s",
                 (const char *)out.bytes + 31);
  (void)snprintf(server.nonce, sizeof(server.nonce), "%.24sxyz",
                 (const char *)out.bytes + 31);
  (void)snprintf(server.first, sizeof(server.first), "r=%s,s=c2FsdA==,i=%s",
                 server.nonce, iterations);
  return hear(message, request(message, 11, server.first));
}

/* Is the proof right?  Fills in the signature. */
static bool proves(const char *password)
{
  char all[512], proof[64];
  uint8_t salted[32], key[32], stored[32], mine[32], theirs[32];
  struct hmac_sha256 mac;
  const size_t without = 9 + strlen(server.nonce);

  (void)snprintf(all, sizeof(all), "%s,%s,c=biws,r=%s", server.client,
                 server.first, server.nonce);
  MUST(sha256_pbkdf2(password, strlen(password), "salt", 4, 4096, WAIT_FOREVER,
                     salted));
  hmac_sha256_key(&mac, salted, sizeof(salted));
  hmac_sha256(&mac, "Client Key", 10, key);
  sha256(key, sizeof(key), stored);
  hmac_sha256(&mac, "Server Key", 10, theirs);
  hmac_sha256_key(&mac, theirs, sizeof(theirs));
  hmac_sha256(&mac, all, strlen(all), theirs);
  memcpy(server.last, "v=", 2);
  base64_encode(theirs, sizeof(theirs), server.last + 2);
  server.last[2 + 44] = '\0';
  hmac_sha256_key(&mac, stored, sizeof(stored));
  hmac_sha256(&mac, all, strlen(all), mine);
  for (int i = 0; i < 32; i++)
    mine[i] ^= key[i];
  base64_encode(mine, sizeof(mine), proof);
  return out.end == 5 + without + 3 + 44 && out.bytes[0] == 'p' &&
         memcmp(out.bytes + 5 + without, ",p=", 3) == 0 &&
         memcmp(out.bytes + 5 + without + 3, proof, 44) == 0;
}

static void test_scram(void)
{
  char message[256];

  begin("secret");
  OK(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_MORE, "SCRAM is asked for");
  OK(challenge("4096") == HANDSHAKE_MORE && proves("secret"), "the proof");
  OK(hear(message, request(message, 12, server.last)) == HANDSHAKE_MORE,
     "the signature of the server");
  OK(hear(BYTES(LOGIN_OK READY("I"))) == HANDSHAKE_READY, "let in");

  begin("secret");
  MUST(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_MORE);
  MUST(challenge("4096") == HANDSHAKE_MORE && !proves("other"));
  OK(hear(message, request(message, 12, server.last)) == HANDSHAKE_FAILED &&
       strcmp(greet.text, "incorrect server signature\n") == 0,
     "a server that does not know the password");

  begin("secret");
  MUST(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_MORE);
  MUST(challenge("4096") == HANDSHAKE_MORE);
  OK(hear(BYTES(LOGIN_OK)) == HANDSHAKE_FAILED, "a server without a signature");
  begin("secret");
  MUST(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_MORE);
  OK(hear(BYTES(LOGIN_OK)) == HANDSHAKE_FAILED, "a server without a challenge");
  begin("secret");
  MUST(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_MORE);
  OK(hear(BYTES(ASK_MD5)) == HANDSHAKE_FAILED, "a server that asks for less");
  begin("secret");
  MUST(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_MORE);
  OK(challenge("2000000000") == HANDSHAKE_FAILED &&
       strstr(greet.text, "2000000000 iterations of SCRAM, more than 1000000"),
     "too many iterations");
  begin("secret");
  greet.until_ns = 1;
  MUST(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_MORE);
  OK(challenge("900000") == HANDSHAKE_LATE, "out of time");
}

/* ---- tokens ---- */

#define SENT_TOKEN                                      \
  "p\0\0\0\x30OAUTHBEARER\0\0\0\0\x1cn,,\1auth=Bearer " \
  "a.B-9_~+/=\1\1"

static void begin_token(bool encrypted)
{
  begin("a.B-9_~+/=");
  greet.encrypted = encrypted;
}

static void test_token(void)
{
  begin_token(true);
  OK(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_MORE && has_said(BYTES(SENT_TOKEN)),
     "the token");
  OK(hear(BYTES(LOGIN_OK READY("I"))) == HANDSHAKE_READY, "let in");
  begin_token(true);
  MUST(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_MORE);
  OK(hear(BYTES(NOT_THIS)) == HANDSHAKE_MORE && has_said(BYTES("p\0\0\0\5\1")),
     "refused, and the reason is acknowledged");
  OK(hear(BYTES("E\0\0\0\x17SFATAL\0C28000\0Mno\0\0")) == HANDSHAKE_FAILED &&
       greet.refused && strcmp(greet.state, "28000") == 0 &&
       strcmp(greet.text, "FATAL:  no\nDETAIL:  {\"status\" :\"x\"}\n") == 0,
     "the error, and the reason in one line");
  begin_token(true);
  MUST(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_MORE);
  MUST(hear(BYTES(NOT_THIS)) == HANDSHAKE_MORE);
  OK(hear(BYTES(LOGIN_OK)) == HANDSHAKE_FAILED && greet.forged,
     "let in after a refusal");
  begin_token(true);
  MUST(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_MORE);
  OK(hear(BYTES(ASK_SCRAM)) == HANDSHAKE_FAILED && greet.forged,
     "another kind of login after the token");
  begin_token(true);
  OK(hear(BYTES(ASK_BOTH)) == HANDSHAKE_MORE &&
       memcmp(out.bytes + 5, "SCRAM-SHA-256", 14) == 0,
     "SCRAM, if the server has both");
}

static void test_token_not_sent(void)
{
  begin_token(false);
  OK(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_FAILED && greet.forged &&
       out.end == 0 && strstr(greet.text, "without TLS"),
     "no token without TLS");
  begin_token(false);
  greet.cleartext = true;
  OK(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_MORE && has_said(BYTES(SENT_TOKEN)),
     "unless the user allows it");
  begin("pass word");
  greet.encrypted = true;
  OK(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_FAILED && greet.forged &&
       out.end == 0 && strstr(greet.text, "tokens cannot have") &&
       !strstr(greet.text, "pass word"),
     "a password that is no token");
  begin(NULL);
  greet.encrypted = true;
  OK(hear(BYTES(ASK_TOKEN)) == HANDSHAKE_CANNOT && out.end == 0, "no token");
}

/* ---- what only the library can, and nonsense ---- */

static void test_library(void)
{
  static const struct {
    const char *password, *asks;
    size_t len;
    const char *why;
  } cases[] = {
    { "secret", BYTES(PLAIN), "plain text" },
    { "secret", BYTES(GSS), "another kind" },
    { "secret", BYTES(ASK_OTHER), "no SCRAM-SHA-256" },
    { "s\xc3\xa4", BYTES(ASK_SCRAM), "not ASCII" },
    { NULL, BYTES(ASK_SCRAM), "not among the options" },
    { "", BYTES(ASK_MD5), "not among the options" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    begin(cases[i].password);
    OK(hear(cases[i].asks, cases[i].len) == HANDSHAKE_CANNOT && out.end == 0 &&
         strstr(greet.text, cases[i].why),
       cases[i].why);
  }
}

static void test_errors(void)
{
  begin(NULL);
  OK(hear(BYTES("E\0\0\0\x32SFATAL\0C28P01\0Mno\0Ddetail\0Hhint\0VFATAL\0"
                "xwhat\0\0")) == HANDSHAKE_FAILED &&
       greet.refused && strcmp(greet.state, "28P01") == 0 &&
       strcmp(greet.text, "FATAL:  no\nDETAIL:  detail\nHINT:  hint\n") == 0,
     "a refused login");
  begin(NULL);
  MUST(hear(BYTES(LOGIN_OK READY("I"))) == HANDSHAKE_READY);
  MUST(pgsql_handshake_ask(&greet, "x", 1, &out));
  OK(hear(BYTES(FAILED)) == HANDSHAKE_MORE &&
       hear(BYTES(READY("I"))) == HANDSHAKE_FAILED &&
       strcmp(greet.state, "22012") == 0 &&
       strcmp(greet.text, "ERROR:  divided\n") == 0,
     "a statement that fails");
  begin(NULL);
  MUST(hear(BYTES(LOGIN_OK READY("I"))) == HANDSHAKE_READY);
  MUST(pgsql_handshake_ask(&greet, "x", 1, &out));
  OK(hear(BYTES(FAILED)) == HANDSHAKE_MORE &&
       hear(BYTES("E\0\0\0\x18SFATAL\0C57P01\0Mend\0\0")) == HANDSHAKE_MORE &&
       strcmp(greet.state, "22012") == 0 &&
       strcmp(greet.text, "ERROR:  divided\n") == 0,
     "the first of two errors counts");
  begin(NULL);
  OK(hear(BYTES("E\0\0\0\x09SFATA")) == HANDSHAKE_FAILED && !greet.refused,
     "an error without an end");
}

/* In the form of the protocol before. */
static void test_old_error(void)
{
  char text[40000];

  begin("secret");
  OK(hear(BYTES("Ecould not fork new process: no\n\0")) == HANDSHAKE_FAILED &&
       greet.refused && out.end == 0 && greet.state[0] == '\0' &&
       strcmp(greet.text, "could not fork new process: no\n") == 0,
     "an error without a length");
  begin(NULL);
  memset(text, 'E', sizeof(text));
  OK(hear(text, sizeof(text)) == HANDSHAKE_FAILED && !greet.refused,
     "... without an end");
  begin(NULL);
  MUST(hear(BYTES(LOGIN_OK)) == HANDSHAKE_MORE);
  OK(hear(BYTES("Ecould not\n\0")) == HANDSHAKE_FAILED && !greet.refused,
     "... after the login");
}

static void test_nonsense(void)
{
  static const struct {
    const char *name;
    bool logged_in;
    const char *bytes;
    size_t len;
  } cases[] = {
    { "another protocol", false,
      BYTES("J\0\0\0\x0a"
            "8.0") },
    { "settings before the login", false, BYTES(SETTING) },
    { "ready before the login", false, BYTES(READY("I")) },
    { "a length of three", false, BYTES("R\0\0\0\3") },
    { "a length of two thousand million", false, BYTES("R\x7f\xff\xff\xff") },
    { "no kind of request", false, BYTES("R\0\0\0\6\0\0") },
    { "rows without a statement", true, BYTES(ROW("x")) },
    { "a request after the login", true, BYTES(ASK_MD5) },
    { "ready without a state", true, BYTES("Z\0\0\0\4") },
  };

  for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
    begin("secret");
    MUST(!cases[i].logged_in || hear(BYTES(LOGIN_OK)) == HANDSHAKE_MORE);
    OK(hear(cases[i].bytes, cases[i].len) == HANDSHAKE_FAILED && out.end == 0 &&
         greet.text[0] && !greet.refused,
       cases[i].name);
  }
  begin(NULL);
  MUST(hear(BYTES(LOGIN_OK READY("I"))) == HANDSHAKE_READY);
  MUST(pgsql_handshake_ask(&greet, "x", 1, &out));
  OK(hear(BYTES(READY("I"))) == HANDSHAKE_FAILED, "ready without an answer");
  begin(NULL);
  MUST(pgsql_handshake_ask(&greet, "x", 1, &out));
  OK(hear(BYTES(COPY_IN)) == HANDSHAKE_FAILED, "a copy");
}

/* Settings without an end. */
static void test_flood(void)
{
  enum handshake_rc rc = HANDSHAKE_MORE;
  size_t n = 0;

  begin(NULL);
  MUST(hear(BYTES(LOGIN_OK)) == HANDSHAKE_MORE);
  for (; rc == HANDSHAKE_MORE && n < 2 * (size_t)HANDSHAKE_TOTAL_MAX; n += 9)
    rc = hear(BYTES(SETTING));
  OK(rc == HANDSHAKE_FAILED && n <= HANDSHAKE_TOTAL_MAX + 9,
     "a flood of settings");
}

int main(void)
{
  test_trust();
  test_md5();
  test_scram();
  test_token();
  test_token_not_sent();
  test_library();
  test_errors();
  test_old_error();
  test_nonsense();
  test_flood();
  wire_buffer_done(&in);
  wire_buffer_done(&out);
  return TAP_EXIT();
}
