/*
 * test_outfile.c - files of results: complete or absent, and named if they
 * cannot be written.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "results/document.h"
#include "results/outfile.h"
#include "results/outname.h"
#include "tests/unit/tap.h"

static char folder[] = "/tmp/bench-files-XXXXXX";

static const char *read_all(const char *path)
{
  static char text[256];
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

  text[n] = '\0';
  if (f)
    (void)fclose(f);
  return f ? text : "(none)";
}

static unsigned files_here(void)
{
  DIR *d = opendir(".");
  unsigned n = 0;

  while (readdir(d))
    n++;
  (void)closedir(d);
  return n - 2;
}

static void put(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");

  (void)fputs(text, f);
  (void)fclose(f);
}

static void test_whole(void)
{
  struct whole_file f;
  struct err err = { "" };

  OK(whole_file_probe(&f, "new", &err) == 0 && !f.stream && files_here() == 0,
     "probing leaves nothing behind");
  put("old", "old text");
  OK(whole_file_open(&f, "old", &err) == 0, "opens");
  (void)fputs("new", f.stream);
  OK_STR(read_all("old"), "old text", "the old one is untouched");
  OK(whole_file_commit(&f, &err) == 0, "commits");
  OK_STR(read_all("old"), "new", "the new one is there");
  OK(whole_file_open(&f, "old", &err) == 0, "again");
  (void)fputs("newer", f.stream);
  whole_file_abort(&f);
  OK_STR(read_all("old"), "new", "given up: as before");
  OK(files_here() == 1, "nothing else is there");

  MUST(symlink("old", "link") == 0);
  OK(whole_file_open(&f, "link", &err) == 0, "through a link");
  (void)fputs("linked", f.stream);
  OK(whole_file_commit(&f, &err) == 0, "commits");
  OK_STR(read_all("old"), "linked", "where the link points to");
  (void)unlink("link");
  (void)unlink("old");
}

static mode_t mode_of(const char *path)
{
  struct stat st;

  return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static bool replace(const char *name, const char *text)
{
  struct whole_file f;
  struct err err;

  return whole_file_open(&f, name, &err) == 0 && fputs(text, f.stream) >= 0 &&
         whole_file_commit(&f, &err) == 0;
}

static void test_rights(void)
{
  const mode_t before = umask(022);
  struct stat st;

  OK(replace("file", "1") && mode_of("file") == 0644, "those of a new file");
  (void)chmod("file", 0600);
  OK(replace("file", "2") && mode_of("file") == 0600, "those of the old one");
  (void)chmod("file", 0666);
  OK(replace("file", "3") && mode_of("file") == 0666, "which may be more");
  /* Root of a user namespace may have no other users. */
  if (geteuid() == 0 && (chown("file", 1234, 2345) == 0 || errno != EINVAL)) {
    OK(replace("file", "4") && stat("file", &st) == 0 && st.st_uid == 1234 &&
         st.st_gid == 2345,
       "owner and group of the old one");
  }
  (void)unlink("file");
  (void)umask(before);
}

static void test_links(void)
{
  struct whole_file f;
  struct err err = { "" };
  char name[64];
  struct stat st;

  (void)mkdir("folder", 0700);
  MUST(symlink("folder/two", "one") == 0);
  MUST(symlink("three", "folder/two") == 0);
  OK(replace("one", "text"), "a link to a link to nothing");
  OK(lstat("one", &st) == 0 && S_ISLNK(st.st_mode), "stays a link");
  OK_STR(read_all("folder/three"), "text", "where they lead to");
  (void)unlink("folder/three");
  (void)unlink("folder/two");
  (void)rmdir("folder");
  (void)unlink("one");

  MUST(symlink("circle", "circle") == 0);
  OK(whole_file_open(&f, "circle", &err) < 0 && strstr(err.text, "'circle'"),
     "a circle of links");
  (void)unlink("circle");

  /* Another user could guess the name that is written to first. */
  put("precious", "precious");
  (void)snprintf(name, sizeof(name), "file.%ld-0.tmp", (long)getpid());
  MUST(symlink("precious", name) == 0);
  OK(replace("file", "text"), "a link where the file is to be made");
  OK_STR(read_all("precious"), "precious", "is not followed");
  OK_STR(read_all("file"), "text", "and does not disturb");
  (void)unlink(name);
  (void)unlink("file");
  (void)unlink("precious");
  OK(files_here() == 0, "nothing else is there");
}

/* If a file cannot get its final place, what was written is not lost. */
static void test_no_place(void)
{
  struct whole_file f;
  struct err err = { "" };
  char beside[256];

  OK(whole_file_open(&f, "taken", &err) == 0 && fputs("all", f.stream) >= 0 &&
       mkdir("taken", 0700) == 0,
     "somebody takes the place");
  (void)snprintf(beside, sizeof(beside), "%s", f.beside);
  OK(whole_file_commit(&f, &err) < 0 && strstr(err.text, "'taken'"),
     "which is an error");
  OK(strstr(err.text, beside) != NULL, "that names where it is");
  OK_STR(read_all(beside), "all", "all of it");
  (void)unlink(beside);
  (void)rmdir("taken");
  OK(files_here() == 0, "nothing else is there");
}

/* The reader has the end of the text when the last writer has closed it. */
static void test_pipe(void)
{
  struct whole_file f;
  struct err err = { "" };
  char got[16] = "";
  int fd;

  (void)mkfifo("pipe", 0600);
  fd = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  OK(whole_file_probe(&f, "pipe", &err) == 0 && f.stream, "a pipe stays open");
  OK(read(fd, got, sizeof(got)) < 0 && errno == EAGAIN, "its text may come");
  (void)fputs("text", f.stream);
  OK(whole_file_commit(&f, &err) == 0, "commits");
  OK(read(fd, got, sizeof(got)) == 4 && read(fd, got + 4, 1) == 0,
     "it has come, and ended");
  (void)close(fd);
  (void)unlink("pipe");
}

static void test_unwritable(void)
{
  struct whole_file f;
  struct outfile o;
  struct err err = { "" };

  OK(whole_file_probe(&f, "no/such", &err) < 0 && strstr(err.text, "'no/such'"),
     "no folder");
  OK(whole_file_probe(&f, ".", &err) < 0 && !f.stream, "a folder");
  OK(outfile_open(&o, "no/such", &err) < 0 && strstr(err.text, "'no/such'"),
     "no folder for a growing one");
  OK(whole_file_open(&f, "/dev/full", &err) == 0, "a device is no file");
  (void)fputs("text", f.stream);
  OK(whole_file_commit(&f, &err) < 0 && strstr(err.text, "'/dev/full'"),
     "which may be full");
  OK(outfile_open(&o, "/dev/full", &err) == 0 &&
       outfile_write(&o, "x", 1, &err) < 0,
     "seen at once where lines are to be read at once");
  (void)outfile_close(&o, &err);
  OK(outfile_close(&o, &err) == 0, "closed twice");
}

/* Redirects the standard output to `path` while `act` runs. */
static void with_stdout(const char *path, void (*act)(void))
{
  const int before = dup(STDOUT_FILENO);
  const int fd = open(path, O_WRONLY | O_APPEND);

  (void)fflush(stdout);
  (void)dup2(fd, STDOUT_FILENO);
  (void)close(fd);
  act();
  (void)fflush(stdout);
  (void)dup2(before, STDOUT_FILENO);
  (void)close(before);
}

static bool stdout_known, null_is_null, whole_written, lines_written;

static void write_to_log(void)
{
  struct whole_file f;
  struct outfile o;
  struct err err;

  stdout_known = outname_is_stdout("-") && outname_is_stdout("/dev/stdout") &&
                 outname_is_stdout("log") && outname_is_stdout("link") &&
                 !outname_is_stdout("other") && outname_is_special("log");
  whole_written = whole_file_open(&f, "/dev/stdout", &err) == 0 &&
                  fputs("whole\n", f.stream) >= 0 &&
                  whole_file_commit(&f, &err) == 0;
  lines_written = outfile_open(&o, "link", &err) == 0 &&
                  outfile_write(&o, "line\n", 5, &err) == 0 &&
                  outfile_close(&o, &err) == 0;
}

static void look_at_null(void)
{
  null_is_null = !outname_is_stdout("/dev/null") && outname_is_stdout("-");
}

static void test_stdout(void)
{
  char name[64];
  struct whole_file f;
  struct err err;
  int fd;

  put("log", "before\n");
  MUST(symlink("log", "link") == 0);
  with_stdout("log", write_to_log);
  OK(stdout_known, "a file that the standard output leads to is that");
  OK(whole_written && lines_written, "results go there");
  OK_STR(read_all("log"), "before\nwhole\nline\n",
         "behind what it has already");
  OK(!outname_is_special("log") && outname_is_special("/dev/null") &&
       !outname_is_special("missing"),
     "else it is a file");
  with_stdout("/dev/null", look_at_null);
  OK(null_is_null, "/dev/null is /dev/null, wherever text goes");

  fd = open("log", O_WRONLY | O_APPEND);
  (void)snprintf(name, sizeof(name), "/dev/fd/%d", fd);
  OK(whole_file_open(&f, name, &err) == 0 && fputs("more\n", f.stream) >= 0 &&
       whole_file_commit(&f, &err) == 0,
     "a descriptor");
  (void)close(fd);
  OK_STR(read_all("log"), "before\nwhole\nline\nmore\n",
         "is written to as it is");
  (void)unlink("link");
  (void)unlink("log");
}

static void test_spool(void)
{
  struct spool s = { 0 };
  struct err err;
  FILE *to = fopen("copy", "w+");

  OK(spool_copy(&s, to) == 0, "nothing");
  OK(spool_add(&s, "1", &err) == 0 && spool_add(&s, "2", &err) == 0, "items");
  OK(spool_copy(&s, to) == 0 && spool_add(&s, "3", &err) == 0, "copied");
  (void)fclose(to);
  OK_STR(read_all("copy"), "\n1,\n2", "with commas between");
  to = fopen("copy", "w+");
  OK(spool_copy(&s, to) == 0, "again");
  (void)fclose(to);
  OK_STR(read_all("copy"), "\n1,\n2,\n3", "with what came later");
  spool_done(&s);
  spool_done(&s);
  (void)unlink("copy");
}

static bool is_in(const struct spool *s, const char *dir)
{
  char link[64], path[256];
  ssize_t n;

  (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(s->file));
  n = readlink(link, path, sizeof(path) - 1);
  path[n > 0 ? n : 0] = '\0';
  return strncmp(path, dir, strlen(dir)) == 0;
}

static void test_spool_places(void)
{
  struct spool s = { 0 };
  struct err err;
  char own[] = "/tmp/test_spool.XXXXXX";

  (void)setenv("TMPDIR", mkdtemp(own) ? own : "", 1);
  OK(spool_open(&s, NULL, &err) == 0 && is_in(&s, own), "the user's folder");
  OK(!s.in_memory, "is a real one");
  spool_done(&s);
  (void)rmdir(own);
  OK(spool_open(&s, NULL, &err) == 0 && is_in(&s, "/tmp/"),
     "one that is not there gives way to the usual one");
  spool_done(&s);
  (void)unsetenv("TMPDIR");
}

/* A limit of the size of files simulates a disk that is full for a while. */
static int add_within(struct spool *s, rlim_t bytes, const char *text,
                      struct err *err)
{
  struct rlimit before, now;
  int rc;

  (void)getrlimit(RLIMIT_FSIZE, &before);
  now = before;
  now.rlim_cur = bytes;
  (void)setrlimit(RLIMIT_FSIZE, &now);
  rc = spool_add(s, text, err);
  (void)setrlimit(RLIMIT_FSIZE, &before);
  return rc;
}

static void test_spool_full(void)
{
  struct spool s = { 0 };
  struct err err = { "" };
  FILE *to = fopen("copy", "w+");

  (void)signal(SIGXFSZ, SIG_IGN);
  OK(add_within(&s, 0, "0", &err) < 0, "no room for the first item");
  OK(spool_copy(&s, to) == 0 && ftell(to) == 0, "so there is none");
  OK(add_within(&s, 10, "1", &err) == 0, "room for this one");
  OK(add_within(&s, 10, "23456789abc", &err) < 0 &&
       strstr(err.text, "temporary file"),
     "the next one is too long");
  OK(add_within(&s, 10, "2", &err) == 0, "a shorter one is not");
  OK(spool_add(&s, "3", &err) == 0, "and then there is room again");
  OK(spool_copy(&s, to) == 0, "copied");
  (void)fclose(to);
  OK_STR(read_all("copy"), "\n1,\n2,\n3", "every item that has found room");
  spool_done(&s);
  (void)unlink("copy");
}

static void test_put(void)
{
  struct outfile f;
  struct err err = { "" };

  OK(outfile_open(&f, "lines", &err) == 0 && outfile_flush(&f, &err) == 0,
     "nothing was put");
  OK(outfile_put(&f, "a\n", 2, &err) == 0 &&
       outfile_put(&f, "b\n", 2, &err) == 0,
     "some was");
  OK_STR(read_all("lines"), "", "and is not written yet");
  OK(outfile_flush(&f, &err) == 0 && outfile_flush(&f, &err) == 0, "now");
  OK_STR(read_all("lines"), "a\nb\n", "it is, once");
  OK(outfile_put(&f, "c\n", 2, &err) == 0 && outfile_close(&f, &err) == 0,
     "the end");
  OK_STR(read_all("lines"), "a\nb\nc\n", "loses nothing");
  (void)unlink("lines");

  OK(outfile_open(&f, "/dev/full", &err) == 0 &&
       outfile_put(&f, "x", 1, &err) == 0 && outfile_close(&f, &err) < 0 &&
       strstr(err.text, "/dev/full"),
     "also if it is an error");
}

/* The work of another thread, and its result. */
struct writing {
  struct outfile f;
  struct err err;
  int rc;
};

static void *write_more_than_fits(void *arg)
{
  static char much[1 << 20];
  struct writing *w = arg;

  w->rc = outfile_write(&w->f, much, sizeof(much), &w->err);
  return NULL;
}

static void test_left(void)
{
  struct writing w = { .rc = 1 };
  struct err err = { "" };
  pthread_t thread;
  int fd;

  (void)mkfifo("pipe", 0600);
  fd = open("pipe", O_RDONLY | O_NONBLOCK);
  OK(outfile_open(&w.f, "pipe", &err) == 0, "a pipe");
  OK(!outfile_leave(&w.f), "nobody is inside");
  (void)pthread_create(&thread, NULL, write_more_than_fits, &w);
  while (!outfile_leave(&w.f))
    (void)sched_yield();
  OK(outfile_is_left(&w.f) && !outfile_leave(&w.f), "is left once");
  OK(outfile_close(&w.f, &err) == 0 && err.text[0] == '\0', "and stays");
  OK(outfile_tell_left(&w.f, &err) < 0 && strstr(err.text, "'pipe'"),
     "the message names it");
  (void)close(fd);
  (void)pthread_join(thread, NULL);
  OK(w.rc == -ECANCELED && w.err.text[0] == '\0', "who comes back knows");
  OK(outfile_write(&w.f, "x", 1, &err) == -ECANCELED, "nobody writes");
  (void)fclose(w.f.stream); /* it is not left to a thread any more */
  (void)unlink("pipe");
}

int main(void)
{
  if (!mkdtemp(folder) || chdir(folder) < 0)
    return 1;
  (void)signal(SIGPIPE, SIG_IGN);
  test_whole();
  test_rights();
  test_links();
  test_no_place();
  test_pipe();
  test_unwritable();
  test_stdout();
  test_spool();
  test_spool_full();
  test_spool_places();
  test_put();
  test_left();
  (void)rmdir(folder);
  return TAP_EXIT();
}
