/*
 * test_mysql_wire.c - answers of a server that come in pieces, break off, or
 * make no sense: read through a real socket, without a server.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/mysql/error.h"
#include "drivers/mysql/escape.h"
#include "drivers/mysql/params.h"
#include "drivers/mysql/session.h"
#include "drivers/mysql/wire.h"
#include "tests/unit/tap.h"

/* Two columns (BIGINT, VARCHAR), rows (7, 'ab') and (NULL, 'c'), in the binary
 * protocol; the flags say that a transaction is open and a result follows. */
static const uint8_t rows_answer[] =
  "\x01\0\0\1\x02"
  "\x17\0\0\2\3def\0\0\0\1i\0\x0c\x3f\0\x14\0\0\0\x08\x81\0\0\0\0"
  "\x17\0\0\3\3def\0\0\0\1s\0\x0c\x21\0\x1e\0\0\0\xfd\0\0\0\0\0"
  "\5\0\0\4\xfe\0\0\x09\0"
  "\x0d\0\0\5\0\0\x07\0\0\0\0\0\0\0\x02"
  "ab"
  "\4\0\0\6\0\4\1c"
  "\5\0\0\7\xfe\0\0\x09\0";
/*
 * The same, as later servers send it: without a packet between columns and
 * rows.
 */
static const uint8_t later_answer[] =
  "\x01\0\0\1\x02"
  "\x17\0\0\2\3def\0\0\0\1i\0\x0c\x3f\0\x14\0\0\0\x08\x81\0\0\0\0"
  "\x17\0\0\3\3def\0\0\0\1s\0\x0c\x21\0\x1e\0\0\0\xfd\0\0\0\0\0"
  "\4\0\0\4\0\4\1c"
  "\7\0\0\5\xfe\0\0\x01\0\0\0";
/*
 * Like rows_answer, but without a further result, and with a progress packet
 * before each row and before the end.
 */
#define PROGRESS_PACKET(number) "\x0b\0\0" number "\xff\xff\xff\1\1\2\0\0\0\1x"
static const uint8_t progress_answer[] = PROGRESS_PACKET(
  "\1") "\x01\0\0\2\x02"
        "\x17\0\0\3\3def\0\0\0\1i\0\x0c\x3f\0\x14\0\0\0\x08\x81\0\0\0\0"
        "\x17\0\0\4\3def\0\0\0\1s\0\x0c\x21\0\x1e\0\0\0\xfd\0\0\0\0\0"
        "\5\0\0\5\xfe\0\0\1\0" PROGRESS_PACKET(
          "\6") "\x0d\0\0\7\0\0\x07\0\0\0\0\0\0\0\x02"
                "ab" PROGRESS_PACKET("\x08") "\4\0\0\x09\0\4\1"
                                             "c" PROGRESS_PACKET(
                                               "\x0a") "\5\0\0\x0b\xfe\0\0\1\0";
/* The server asks for a file, takes it, and has another result. */
static const uint8_t file_answer[] = "\2\0\0\1\xfb"
                                     "f"
                                     "\7\0\0\3\0\0\0\x0a\0\0\0"
                                     "\7\0\0\4\0\3\0\2\0\0\0";
static const uint8_t ok_answer[] = "\7\0\0\1\0\3\0\2\0\0\0";
static const uint8_t no_error_answer[] = "\x0b\0\0\1\xff\0\0#HY000Ok";
static const uint8_t error_answer[] = "\x0e\0\0\1\xff\xbd\4#40001Dead!";

struct world {
  struct mysql_session s;
  struct mysql_prepared p;
  int server;
};

static void world_open(struct world *w)
{
  int fd[2];

  memset(w, 0, sizeof(*w));
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0)
    abort();
  w->s.mysql = mysql_init(NULL);
  w->s.link.fd = fd[0];
  mysqld_wire_forget(&w->s.wire);
  w->s.backend = &mysqld_wire_backend;
  w->server = fd[1];
  w->p.base.session = &w->s.base;
}

static void world_close(struct world *w)
{
  mysqld_wire_done(&w->s.wire);
  strbuf_done(&w->s.msg);
  free(w->p.cols);
  free(w->s.digits);
  mysql_close(w->s.mysql);
  (void)close(w->s.link.fd);
  (void)close(w->server);
}

/*
 * Returns what the client makes of these bytes, after which the server closes
 * the connection.
 */
static int answer(struct world *w, const uint8_t *bytes, size_t len,
                  struct outcome *out)
{
  memset(out, 0, sizeof(*out));
  if (write(w->server, bytes, len) != (ssize_t)len)
    abort();
  (void)shutdown(w->server, SHUT_WR);
  return mysqld_wire_result(&w->s, &w->p, out);
}

static void whole_answers(void)
{
  struct world w;
  struct outcome out;
  sql_value v[2];

  world_open(&w);
  OK(answer(&w, rows_answer, sizeof(rows_answer) - 1, &out) == 0,
     "a result set");
  OK(out.nfields == 2 && out.nrows == 2 && out.more &&
       out.counter == COUNTER_READ && w.s.base.trx == TRX_OPEN,
     "its rows are counted, its flags are seen");
  OK(mysqld_wire_backend.fetch(&w.s, v) == 1 && v[0].len == 1 &&
       *v[0].ptr == '7' && v[1].len == 2 && memcmp(v[1].ptr, "ab", 2) == 0,
     "the first row");
  OK(mysqld_wire_backend.fetch(&w.s, v) == 1 && !v[0].ptr && v[1].len == 1 &&
       *v[1].ptr == 'c',
     "the second row has a NULL");
  OK(mysqld_wire_backend.fetch(&w.s, v) == 0, "there is no third");
  world_close(&w);

  world_open(&w);
  OK(answer(&w, ok_answer, sizeof(ok_answer) - 1, &out) == 0 &&
       out.nfields == 0 && out.counter == COUNTER_WRITE && !out.more,
     "three rows were changed");
  world_close(&w);

  world_open(&w);
  OK(answer(&w, error_answer, sizeof(error_answer) - 1, &out) < 0 &&
       out.code == 1213 && strcmp(out.state, "40001") == 0 &&
       strcmp(out.msg, "Dead!") == 0 && !out.lost,
     "an error");
  world_close(&w);

  world_open(&w);
  OK(answer(&w, no_error_answer, sizeof(no_error_answer) - 1, &out) < 0 &&
       out.code == CODE_MALFORMED && out.lost,
     "an error that has the number 0");
  world_close(&w);
}

static void progress(void)
{
  struct world w;
  struct outcome out;
  sql_value v[2];

  world_open(&w);
  OK(answer(&w, progress_answer, sizeof(progress_answer) - 1, &out) == 0 &&
       out.nfields == 2 && out.nrows == 2 && !out.more,
     "packets that say how far a statement is are no rows, and no error");
  OK(mysqld_wire_backend.fetch(&w.s, v) == 1 && v[0].len == 1 &&
       *v[0].ptr == '7',
     "the row between them");
  OK(mysqld_wire_backend.fetch(&w.s, v) == 1 && !v[0].ptr && v[1].len == 1 &&
       mysqld_wire_backend.fetch(&w.s, v) == 0,
     "and the next one");
  world_close(&w);
}

static void no_file(void)
{
  struct world w;
  struct outcome out;
  uint8_t sent[8];

  world_open(&w);
  OK(answer(&w, file_answer, sizeof(file_answer) - 1, &out) < 0 && !out.lost &&
       strcmp(out.msg, "no file is given to the server") == 0,
     "a file that the server asks for is refused, which is an error");
  OK(read(w.server, sent, sizeof(sent)) == 4 &&
       memcmp(sent, "\0\0\0\2", 4) == 0,
     "the server had an empty one");
  OK(!w.s.more && w.s.wire.in.pos == w.s.wire.in.end,
     "its other results were read");
  world_close(&w);
}

/* The client has the small stack of a worker. */
struct asked {
  struct world w;
  struct outcome out;
  int rc;
};

static void *ask(void *arg)
{
  struct asked *a = arg;

  a->rc = mysqld_wire_result(&a->w.s, &a->w.p, &a->out);
  return NULL;
}

static void no_files(void)
{
  uint8_t more[] = "\2\0\0\1\xfb"
                   "f"
                   "\7\0\0\3\0\0\0\x0a\0\0\0";
  uint8_t last[sizeof(ok_answer)];
  struct asked a = { .rc = 0 };
  pthread_attr_t attr;
  pthread_t client;
  uint8_t sent[4];
  bool heard = true;

  world_open(&a.w);
  if (pthread_attr_init(&attr) != 0 ||
      pthread_attr_setstacksize(&attr, (size_t)256 * 1024) != 0 ||
      pthread_create(&client, &attr, ask, &a) != 0)
    abort();
  for (int i = 0; i < 5000 && heard; i++) {
    heard = write(a.w.server, more, sizeof(more) - 1) ==
              (ssize_t)sizeof(more) - 1 &&
            read(a.w.server, sent, sizeof(sent)) == (ssize_t)sizeof(sent) &&
            sent[3] == (uint8_t)(more[3] + 1);
    more[3] = (uint8_t)(more[3] + 3); /* followed by the client's packet */
    more[9] = (uint8_t)(more[9] + 3);
  }
  memcpy(last, ok_answer, sizeof(last));
  last[3] = more[3];
  (void)!write(a.w.server, last, sizeof(last) - 1);
  (void)pthread_join(client, NULL);
  (void)pthread_attr_destroy(&attr);
  OK(heard && a.rc < 0 && !a.out.lost &&
       strcmp(a.out.msg, "no file is given to the server") == 0,
     "files without end are refused one after the other");
  OK(!a.w.s.more && a.w.s.wire.in.pos == a.w.s.wire.in.end,
     "up to the last one");
  world_close(&a.w);
}

static void later_forms(void)
{
  struct world w;
  struct outcome out;
  sql_value v[2];

  world_open(&w);
  w.s.wire.forms.no_eof = true;
  OK(answer(&w, later_answer, sizeof(later_answer) - 1, &out) == 0 &&
       out.nfields == 2 && out.nrows == 1 && !out.more &&
       w.s.base.trx == TRX_OPEN,
     "a result set without packets in between");
  OK(mysqld_wire_backend.fetch(&w.s, v) == 1 && !v[0].ptr && v[1].len == 1,
     "its row");
  world_close(&w);
}

static void parameters(void)
{
  static const uint8_t plain[] = "\2\1\3\0\xfd\0\x2a\0\0\0";
  static const uint8_t named[] = "\2\2\1\3\0\0\xfd\0\0\x2a\0\0\0";
  static const uint8_t again[] = "\0\0\x2a\0\0\0\2hi";
  int32_t i = 42;
  unsigned long len = 2;
  char is_null = 1, text[] = "hi";
  const sql_bind binds[] = { { .type = SQL_TYPE_INT, .buffer = &i },
                             { .type = SQL_TYPE_VARCHAR,
                               .buffer = text,
                               .data_len = &len,
                               .max_len = 2,
                               .is_null = &is_null } };
  uint8_t to[64];

#define BYTES_ARE(form, want)                                        \
  (mysqld_params_put(binds, 2, form, to) == to + sizeof(want) - 1 && \
   memcmp(to, want, sizeof(want) - 1) == 0 &&                        \
   mysqld_params_size(binds, 2, form) >= sizeof(want) - 1)
  OK(BYTES_ARE(((struct params_form){ true, false }), plain),
     "an integer and a NULL, with types");
  OK(BYTES_ARE(((struct params_form){ true, true }), named),
     "with a number and names");
  is_null = 0;
  OK(BYTES_ARE(((struct params_form){ false, false }), again),
     "without types, and a string");
  len = sizeof(text);
  OK(BYTES_ARE(((struct params_form){ false, false }), again),
     "no byte from behind the buffer");
}

/* ---- packets that do not answer the statement ---- */

static bool is_out_of_step(int rc, const struct outcome *out)
{
  return rc < 0 && out->lost && strstr(out->msg, "Lost synchronization");
}

/* A packet of each kind has another number than the one it should have. */
static void wrong_numbers(void)
{
  static const size_t head[] = { 0, 5, 32, 59, 93 }; /* not plain rows */
  uint8_t bytes[sizeof(rows_answer) - 1];
  struct outcome out;
  size_t seen = 0;

  for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++) {
    struct world w;

    memcpy(bytes, rows_answer, sizeof(bytes));
    bytes[head[i] + 3] ^= 0x80;
    world_open(&w);
    seen += is_out_of_step(answer(&w, bytes, sizeof(bytes), &out), &out);
    world_close(&w);
  }
  OK(seen == sizeof(head) / sizeof(head[0]),
     "packets that are not numbered one after the other");
}

/* More rows than the numbers of packets can count. */
static void many_rows(void)
{
  enum {
    ROWS = 1000
  };
  static const uint8_t row[] = "\4\0\0\0\0\4\1c";
  uint8_t bytes[ROWS * (sizeof(row) - 1) + 100], *to = bytes;
  const size_t begin = 59 + 9; /* start of the rows in rows_answer */
  struct world w;
  struct outcome out;

  memcpy(to, rows_answer, begin);
  to += begin;
  for (unsigned i = 0; i < ROWS; i++, to += sizeof(row) - 1) {
    memcpy(to, row, sizeof(row) - 1);
    to[3] = (uint8_t)(5 + i);
  }
  memcpy(to, "\5\0\0\0\xfe\0\0\1\0", 9);
  to[3] = (uint8_t)(5 + ROWS);
  to += 9;
  world_open(&w);
  OK(answer(&w, bytes, (size_t)(to - bytes), &out) == 0 && out.nrows == ROWS,
     "numbers begin again after 255");
  world_close(&w);
}

static void surplus(void)
{
  static const uint8_t killed[] = "\x13\0\0\0\xff\x87\7#08S01Killed now";
  struct world w;
  struct outcome out = { 0 };
  int rc = 0, n = 0;

  world_open(&w);
  (void)!write(w.server, ok_answer, sizeof(ok_answer) - 1);
  (void)!write(w.server, ok_answer, sizeof(ok_answer) - 1);
  OK(mysqld_wire_backend.query(&w.s, "DO 1", 4, &out) == 0, "two answers");
  out = (struct outcome){ 0 };
  OK(is_out_of_step(mysqld_wire_backend.query(&w.s, "DO 2", 4, &out), &out),
     "are not those of two statements");
  world_close(&w);

  /* The second answer is sent after the first one has been read. */
  world_open(&w);
  (void)!write(w.server, ok_answer, sizeof(ok_answer) - 1);
  while (rc == 0 && n < 2 * WIRE_LOOK_EVERY) {
    out = (struct outcome){ 0 };
    rc = mysqld_wire_backend.query(&w.s, "DO 1", 4, &out);
    (void)!write(w.server, ok_answer, sizeof(ok_answer) - 1);
    n++;
  }
  OK(is_out_of_step(rc, &out) && n <= WIRE_LOOK_EVERY,
     "an answer that comes later is noticed soon");
  world_close(&w);

  world_open(&w);
  (void)!write(w.server, ok_answer, sizeof(ok_answer) - 1);
  (void)!write(w.server, killed, sizeof(killed) - 1);
  out = (struct outcome){ 0 };
  OK(mysqld_wire_backend.query(&w.s, "DO 1", 4, &out) == 0, "an answer");
  out = (struct outcome){ 0 };
  OK(mysqld_wire_backend.query(&w.s, "DO 2", 4, &out) < 0 && out.code == 1927 &&
       out.lost && strcmp(out.msg, "Killed now") == 0,
     "the server says why it ends the session, with any number");
  world_close(&w);
}

/* Sends each prefix of the answer, and then nothing more. */
static void broken_off(void)
{
  size_t bad = 0;

  for (size_t len = 0; len < sizeof(rows_answer) - 1; len++) {
    struct world w;
    struct outcome out;

    world_open(&w);
    if (answer(&w, rows_answer, len, &out) == 0 || out.code != CODE_LOST ||
        !out.lost)
      bad++;
    world_close(&w);
  }
  OK(bad == 0, "an answer that breaks off is a lost connection");
}

/* A packet that is wrong by itself: what follows would be right. */
static void malformed(void)
{
#define COLUMN_2 "\x17\0\0\3\3def\0\0\0\1s\0\x0c\x21\0\x1e\0\0\0\xfd\0\0\0\0\0"
#define COLUMNS    \
  "\x01\0\0\1\x02" \
  "\x17\0\0\2\3def\0\0\0\1i\0\x0c\x3f\0\x14\0\0\0\x08\x81\0\0\0\0" COLUMN_2
#define NO_ROWS "\5\0\0\5\xfe\0\0\1\0"
#define END "\5\0\0\4\xfe\0\0\1\0" NO_ROWS
  static const struct {
    const char *bytes;
    size_t len;
    int code;
    const char *what;
  } rows[] = {
#define ROW(bytes, code, what) { bytes, sizeof(bytes) - 1, code, what }
    ROW(COLUMNS END, 0, "a control: two columns and no row"),
    ROW("\x01\0\0\1\x02\x0b\0\0\2\3def\0\0\1i\0\x0c\x3f" COLUMN_2 END,
        CODE_MALFORMED, "a column of eleven bytes"),
    ROW("\4\0\0\1\xfd\0\0\1" COLUMNS END, CODE_MALFORMED, "65536 columns"),
    ROW("\2\0\0\1\xfc\1", CODE_MALFORMED, "half a number of columns"),
    ROW(COLUMNS "\5\0\0\4\0\0\0\1\0" NO_ROWS, CODE_MALFORMED,
        "columns that do not end"),
    ROW(COLUMNS "\4\0\0\4\xfe\0\0\1" NO_ROWS, CODE_MALFORMED,
        "columns with an end of four bytes"),
    ROW(COLUMNS "\5\0\0\4\xfe\0\0\1\0\0\0\0\5" NO_ROWS, CODE_MALFORMED,
        "an empty packet among the rows"),
    ROW("\0\0\0\1", CODE_MALFORMED, "an empty packet"),
    ROW("\4\0\0\1\0\3\0\2", CODE_MALFORMED, "success with half its flags"),
    ROW("\2\0\0\1\xff\x15", CODE_MALFORMED, "an error with half its number"),
#undef ROW
  };

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const int rc = rows[i].code == 0 ? 0 : -1;
    struct world w;
    struct outcome out;

    world_open(&w);
    OK(answer(&w, (const uint8_t *)rows[i].bytes, rows[i].len, &out) == rc &&
         out.code == rows[i].code && out.lost == (rc < 0),
       rows[i].what);
    world_close(&w);
  }
}

/*
 * Replaces each byte of the answer by others: any outcome is right, except a
 * crash.
 */
static void nonsense(void)
{
  static const uint8_t other[] = { 0, 1, 5, 0x7f, 0xfb, 0xfc, 0xfe, 0xff };
  uint8_t bytes[sizeof(rows_answer) - 1];
  size_t told = 0;

  for (size_t i = 0; i < sizeof(bytes); i++) {
    for (size_t k = 0; k < sizeof(other); k++) {
      struct world w;
      struct outcome out;
      sql_value *v = calloc(UINT16_MAX, sizeof(*v));

      memcpy(bytes, rows_answer, sizeof(bytes));
      bytes[i] = other[k];
      world_open(&w);
      if (answer(&w, bytes, sizeof(bytes), &out) < 0)
        told += out.code != 0;
      else
        while (out.nfields > 0 && mysqld_wire_backend.fetch(&w.s, v) == 1)
          ;
      world_close(&w);
      free(v);
    }
  }
  OK(told > 100, "an answer that makes no sense is told, and harms nobody");
}

/* Texts of values, and rows that are too short. */
static void values(void)
{
  const struct column zerofill = { .length = 5,
                                   .flags = UNSIGNED_FLAG | ZEROFILL_FLAG,
                                   .type = MYSQL_TYPE_LONG };
  const struct column big = { .type = MYSQL_TYPE_LONGLONG };
  const struct column dbl = { .type = MYSQL_TYPE_DOUBLE, .decimals = 31 };
  const struct column fixed = { .type = MYSQL_TYPE_DOUBLE, .decimals = 3 };
  const struct column filled = { .length = 22,
                                 .flags = UNSIGNED_FLAG | ZEROFILL_FLAG,
                                 .type = MYSQL_TYPE_DOUBLE,
                                 .decimals = 31 };
  const struct column when = { .type = MYSQL_TYPE_TIME, .decimals = 2 };
  const struct moment m = { .negative = true,
                            .day = 34,
                            .hour = 22,
                            .minute = 59,
                            .second = 59,
                            .us = 990000 };
  char text[VALUE_ROOM + 1] = "";

#define TEXT_IS(call, want)            \
  do {                                 \
    text[call] = '\0';                 \
    OK(strcmp(text, want) == 0, want); \
  } while (0)
  TEXT_IS(mysqld_value_int(&zerofill, 42, text), "00042");
  TEXT_IS(mysqld_value_int(&big, (uint64_t)INT64_MIN, text),
          "-9223372036854775808");
  TEXT_IS(mysqld_value_double(&dbl, 1e300, false, text), "1e300");
  TEXT_IS(mysqld_value_double(&dbl, 1e-7, false, text), "0.0000001");
  TEXT_IS(mysqld_value_double(&dbl, 1, false, text), "1");
  TEXT_IS(mysqld_value_double(&dbl, 1234567, true, text), "1234570");
  TEXT_IS(mysqld_value_double(&filled, 1, false, text),
          "0000000000000000000001");
  TEXT_IS(mysqld_value_double(&fixed, -2.5, false, text), "-2.500");
  TEXT_IS(mysqld_value_time(&when, &m, text), "-838:59:59.99");
  OK(mysqld_value_double(&fixed, -1.7e308, false, text) < VALUE_ROOM,
     "the largest number fits");
}

static void escapes(void)
{
  static const char text[] = "'\"\\\0\n\r\032a%";
  static const char slashed[] = "\\'\\\"\\\\\\0\\n\\r\\Za%";
  static const char doubled[] = "''\"\\\0\n\r\032a%";
  char to[2 * sizeof(text)];

  OK(mysqld_escape(false, to, text, sizeof(text) - 1) == sizeof(slashed) - 1 &&
       memcmp(to, slashed, sizeof(slashed) - 1) == 0,
     "what has a meaning in a literal has a backslash");
  OK(mysqld_escape(true, to, text, sizeof(text) - 1) == sizeof(doubled) - 1 &&
       memcmp(to, doubled, sizeof(doubled) - 1) == 0,
     "where a backslash has no meaning, quotes are doubled");
}

int main(void)
{
  whole_answers();
  progress();
  no_file();
  no_files();
  later_forms();
  parameters();
  broken_off();
  malformed();
  nonsense();
  wrong_numbers();
  many_rows();
  surplus();
  values();
  escapes();
  return TAP_EXIT();
}
