/*
 * test_pgsql_query.c - direct statements of the pgsql driver: several results
 * in one answer, errors and COPY among them, settings that change, and answers
 * that are broken.
 */
#include "tests/unit/pgsql_wire_rig.h"
#include "tests/unit/tap.h"

#define OTHER_ROWS DESCRIBED ROW("y") NULL_ROW SELECTED
#define BEGUN   \
  "C\0\0\0\x0a" \
  "BEGIN\0"
#define UPDATED \
  "C\0\0\0\x0d" \
  "UPDATE 3\0"
#define EMPTY "I\0\0\0\4"
#define GOODBYE \
  "E\0\0\0\x1d" \
  "SFATAL\0C57P01\0Mgoodbye!\0\0"

static int query(struct rig *r, const char *sql, const char *bytes, size_t len,
                 bool ends)
{
  rig_says(r, bytes, len, ends);
  return pgsql_query(&r->session.base, sql, strlen(sql), &r->out);
}

static int next(struct rig *r)
{
  r->out = (struct outcome){ 0 };
  return pgsql_next_result(&r->session.base, &r->out);
}

/* The rows of the open result as a text: values, - for NULL. */
static const char *rows(struct rig *r)
{
  static char text[64];
  sql_value v[16];
  size_t n = 0;

  while (pgsql_fetch(&r->session.base, v) == 1) {
    for (unsigned i = 0; i < r->out.nfields; i++)
      text[n++] = v[i].ptr ? v[i].ptr[0] : '-';
  }
  text[n] = '\0';
  return text;
}

static void start(struct rig *r)
{
  rig_init(r);
  r->session.plain = true;
  r->session.base.dialect = EMUL_PGSQL;
}

static void one(void)
{
  struct rig r;
  char sent[128];
  ssize_t n;

  start(&r);
  OK(query(&r, "SELECT 1",
           BYTES(DESCRIBED ROW("x") NOTICE NULL_ROW SELECTED READY("T")),
           false) == 0,
     "rows");
  n = read(r.peer, sent, sizeof(sent));
  OK(n == 14 && memcmp(sent, "Q\0\0\0\x0dSELECT 1", 14) == 0, "what was sent");
  OK(r.out.counter == COUNTER_READ && r.out.nfields == 1 && r.out.nrows == 2 &&
       r.out.settled && !r.out.more && r.session.base.trx == TRX_OPEN,
     "what is told");
  OK_STR(rows(&r), "x-", "a value and a NULL");
  OK(next(&r) == 0 && r.out.ended, "no further result");
  OK(query(&r, "UPDATE", BYTES(UPDATED READY("I")), false) == 0 &&
       r.out.counter == COUNTER_WRITE && r.out.nfields == 0 &&
       r.session.base.trx == TRX_NONE,
     "rows were changed");
  OK(query(&r, "BEGIN", BYTES(BEGUN READY("T")), false) == 0 &&
       r.out.counter == COUNTER_OTHER,
     "none were");
  OK(query(&r, "", BYTES(EMPTY READY("I")), false) == 0 &&
       r.out.counter == COUNTER_OTHER && !r.out.more,
     "nothing at all");
  OK(query(&r, "SELECT",
           BYTES("T\0\0\0\6\0\0D\0\0\0\6\0\0" SELECTED READY("I")),
           false) == 0 &&
       r.out.counter == COUNTER_READ && r.out.nfields == 0,
     "a row without columns");
  rig_done(&r);
}

static void several(void)
{
  struct rig r;

  start(&r);
  OK(query(&r, "many",
           BYTES(SETTING DESCRIBED ROW("x")
                   SELECTED NOTICE UPDATED EMPTY OTHER_ROWS READY("T")),
           false) == 0 &&
       r.out.more && !r.out.settled && r.out.nrows == 1 &&
       r.session.base.trx == TRX_NONE,
     "the first result");
  OK_STR(rows(&r), "x", "its row");
  OK(next(&r) == 0 && r.out.more && r.out.counter == COUNTER_WRITE,
     "the second");
  OK(next(&r) == 0 && r.out.more && r.out.counter == COUNTER_OTHER, "nothing");
  OK(next(&r) == 0 && !r.out.more && r.out.nrows == 2 &&
       r.session.base.trx == TRX_OPEN,
     "the last one, and the transaction");
  OK_STR(rows(&r), "y-", "its rows");
  OK(next(&r) == 0 && r.out.ended, "the end");

  OK(query(&r, "many", BYTES(OTHER_ROWS OTHER_ROWS UPDATED READY("I")),
           false) == 0 &&
       r.out.more,
     "results that nobody asks for");
  OK(pgsql_end_results(&r.session.base, &r.out) == 0 && !r.session.wire.more &&
       r.session.base.trx == TRX_NONE &&
       query(&r, "BEGIN", BYTES(BEGUN READY("T")), false) == 0,
     "are passed over");
  rig_done(&r);
}

static void errors(void)
{
  struct rig r;

  start(&r);
  OK(query(&r, "SELECT 1/0", BYTES(DESCRIBED ROW("x") FAILED READY("E")),
           false) < 0 &&
       strcmp(r.out.state, "22012") == 0 && strcmp(r.out.msg, "divided") == 0 &&
       !r.out.lost && r.session.base.trx == TRX_ABORTED,
     "an error behind a row");
  OK_STR(rows(&r), "", "the row is gone");
  OK(query(&r, "many", BYTES(OTHER_ROWS FAILED READY("I")), false) == 0 &&
       r.out.more,
     "a result before an error");
  OK(next(&r) < 0 && strcmp(r.out.state, "22012") == 0 && !r.out.lost &&
       r.session.base.trx == TRX_NONE,
     "the error is that of the next one");
  OK(query(&r, "many", BYTES(OTHER_ROWS OTHER_ROWS FAILED READY("I")), false) ==
         0 &&
       pgsql_end_results(&r.session.base, &r.out) < 0 &&
       strcmp(r.out.state, "22012") == 0 && !r.out.lost &&
       strcmp(r.out.msg, "divided") == 0 && !r.session.wire.more &&
       pgsql_end_results(&r.session.base, &r.out) == 0,
     "or of those that nobody asks for");
  r.session.base.trx = TRX_ABORTED;
  OK(query(&r, "COMMIT; SELECT 2",
           BYTES("C\0\0\0\x0d"
                 "ROLLBACK\0" OTHER_ROWS READY("I")),
           false) < 0 &&
       strcmp(r.out.state, "25P02") == 0 && !r.session.wire.more,
     "COMMIT that was a rollback");
  OK(query(&r, "many", BYTES(UPDATED GOODBYE), true) == 0 && r.out.more,
     "a result before the end of the session");
  OK(next(&r) < 0 && r.out.lost && strcmp(r.out.state, "57P01") == 0 &&
       strcmp(r.out.msg, "goodbye!") == 0,
     "why it has ended");
  OK(query(&r, "BEGIN", BYTES(""), true) < 0 && r.out.lost,
     "no statement follows");
  rig_done(&r);
  start(&r);
  OK(query(&r, "many", BYTES(UPDATED UPDATED GOODBYE), true) == 0, "the same");
  OK(pgsql_end_results(&r.session.base, &r.out) < 0 && r.out.lost &&
       strcmp(r.out.state, "57P01") == 0 && strcmp(r.out.msg, "goodbye!") == 0,
     "heard while results are passed over");
  OK(query(&r, "BEGIN", BYTES(""), true) < 0 && r.out.lost &&
       strcmp(r.out.state, "57P01") == 0 && strcmp(r.out.msg, "goodbye!") == 0,
     "said once more");
  rig_done(&r);
}

static void copies(void)
{
  struct rig r;
  char sent[128];

  start(&r);
  OK(query(&r, "COPY", BYTES(COPY_OUT COPIED OTHER_ROWS READY("I")), false) ==
         0 &&
       r.out.counter == COUNTER_OTHER && r.out.more,
     "rows that are sent are dropped");
  OK(next(&r) == 0 && r.out.nrows == 2, "what is behind them is not");
  (void)!read(r.peer, sent, sizeof(sent));
  OK(query(&r, "COPY", BYTES(OTHER_ROWS COPY_IN FAILED READY("I")), false) ==
         0 &&
       next(&r) < 0 && strcmp(r.out.msg, pgsql_copy_refused) == 0 &&
       !r.out.lost,
     "rows are asked for");
  OK(read(r.peer, sent, sizeof(sent)) == 16 &&
       memcmp(sent + 10, "f\0\0\0\5\0", 6) == 0,
     "and refused");
  rig_done(&r);
}

static const char *quoted(struct rig *r, const char *text, size_t len)
{
  static struct strbuf to;
  const char *why = NULL;

  strbuf_clear(&to);
  if (!pgsql_quote(&r->session.base, text, len, &to, &why))
    return why;
  return strbuf_str(&to);
}

/* The library has not seen these changes. */
static void settings(void)
{
  struct rig r;

  start(&r);
  OK(query(&r, "many", BYTES(SETTING BEGUN READY("I")), false) == 0 &&
       !r.session.settings_moved,
     "a setting that does not matter");
  OK(query(&r, "many",
           BYTES("S\0\0\0\x19"
                 "client_encoding\0UTF8\0"
                 "S\0\0\0\x23"
                 "standard_conforming_strings\0on\0" BEGUN READY("I")),
           false) == 0 &&
       r.session.settings_moved && r.session.base.dialect == EMUL_PGSQL,
     "two that do");
  OK_STR(quoted(&r, BYTES("a'\\\xc3\xa4")), "'a''\\\xc3\xa4'", "a literal");
  OK_STR(quoted(&r, BYTES("\xc3")),
         "value is not valid in the client's encoding", "half a character");
  OK(query(&r, "many",
           BYTES(STRINGS_OFF "S\0\0\0\x19"
                             "client_encoding\0SJIS\0" BEGUN READY("I")),
           false) == 0,
     "other values");
  OK_STR(quoted(&r, BYTES("a'\\\x95\\'")), "'a''\\\\\x95\\'''",
         "a character that ends with a backslash, and one that is one");
  free(r.session.scratch);
  rig_done(&r);
}

#define LISTENED \
  "C\0\0\0\x0b"  \
  "LISTEN\0"
#define UNLISTENED \
  "C\0\0\0\x0d"    \
  "UNLISTEN\0"
#define NEWS            \
  "A\0\0\0\x0f\0\0\0\1" \
  "news\0x\0"

/*
 * The library reads beyond its answers, so it has a session that listens to
 * itself.
 */
static void listens(void)
{
  struct rig r;

  start(&r);
  r.session.plain_chosen = true;
  OK(query(&r, "LOCK",
           BYTES("C\0\0\0\x0f"
                 "LOCK TABLE\0" UPDATED READY("I")),
           false) == 0 &&
       next(&r) == 0 && r.session.plain && !r.session.listens,
     "other commands");
  OK(query(&r, "LISTEN a; UNLISTEN b", BYTES(LISTENED UNLISTENED READY("I")),
           false) == 0 &&
       r.out.more && !r.session.plain && r.session.listens,
     "LISTEN, while more is to be read");
  OK(next(&r) == 0 && !r.out.more && !r.session.plain,
     "UNLISTEN does not tell of which channel");
  rig_done(&r);
  start(&r);
  OK(query(&r, "SELECT", BYTES(UPDATED NEWS READY("I") NEWS), false) == 0 &&
       !r.session.plain && r.session.listens,
     "a notification without LISTEN");
  rig_done(&r);
}

/* Texts that are not copied, and answers in many pieces. */
static void large(void)
{
  enum {
    SIZE = 100000
  };
  char *sql = malloc(SIZE + 1), *got = malloc(SIZE + 64);
  int room = 4 * SIZE;
  struct rig r;
  size_t n = 0;

  start(&r);
  (void)setsockopt(r.session.link.fd, SOL_SOCKET, SO_SNDBUF, &room,
                   sizeof(room));
  memset(sql, 'x', SIZE);
  sql[SIZE] = '\0';
  OK(query(&r, sql, BYTES(BEGUN READY("I")), false) == 0, "a long text");
  while (n < SIZE + 6) {
    const ssize_t more = read(r.peer, got + n, SIZE + 64 - n);

    if (more <= 0)
      break;
    n += (size_t)more;
  }
  OK(n == SIZE + 6 && memcmp(got, "Q\0\1\x86\xa5", 5) == 0 &&
       memcmp(got + 5, sql, SIZE + 1) == 0,
     "arrives");
  OK(r.session.wire.out.room < SIZE, "it was not copied");
  free(sql);
  free(got);
  rig_done(&r);
}

static void broken(void)
{
  static const struct {
    const char *bytes;
    size_t len;
    const char *what;
  } bad[] = {
    { BYTES("Z\0\0\0\4"), "ready, but for what" },
    { BYTES("T\0\0\0\5\0"), "a description of nothing" },
    { BYTES("W\0\0\0\7\0\0\0"), "a COPY in both directions" },
    { BYTES("R\0\0\0\x08\0\0\0\0"), "a login" },
    { BYTES(UPDATED "D\0\0\0\3"), "a row that is too short, behind a result" },
    { BYTES(UPDATED "?\0\0\0\4"), "an unknown message behind a result" },
  };
  struct rig r;

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    int rc;

    start(&r);
    rc = query(&r, "SELECT", bad[i].bytes, bad[i].len, true);
    OK((rc < 0 || (r.out.more && next(&r) < 0)) && r.out.lost &&
         strncmp(r.out.msg, "lost synchronization", 20) == 0,
       bad[i].what);
    rig_done(&r);
  }
}

/* The same answer, cut at every byte. */
static void cut(void)
{
  static const char whole[] = DESCRIBED ROW("x")
    SELECTED UPDATED OTHER_ROWS READY("I");
  unsigned good = 0;
  struct rig r;

  for (size_t len = 0; len < sizeof(whole); len++) {
    int rc;

    start(&r);
    rc = query(&r, "many", whole, len, true);
    while (rc == 0 && r.out.more)
      rc = next(&r);
    good += rc == 0;
    OK(rc == 0 || r.out.lost, "cut");
    rig_done(&r);
  }
  OK(good == 1, "an answer that is cut anywhere");
}

int main(void)
{
  (void)alarm(30); /* an answer that never comes */
  one();
  several();
  errors();
  copies();
  settings();
  listens();
  large();
  broken();
  cut();
  return TAP_EXIT();
}
