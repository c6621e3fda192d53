// Makes the writes of a process fail as those of a bad disk do: preloaded into the application by disk-faults.ts.
//
// A write may be cut short, in half of the cases with an error for what is left; it may fail; and an fsync may fail. What was
// written to the database and its log since they were last synced is lost then, as it is where a kernel drops the pages that it
// could not write: what was there before comes back.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// Shared with the test, which sets the first four: how many of a million calls fail.
struct control {
  uint32_t seed, short_writes, failed_writes, failed_syncs;
  _Atomic uint32_t were_short, had_failed, were_unsynced;
};

static struct control *control;
static const char *directory;
static size_t directory_length;
static _Atomic uint64_t calls;
// Files whose next write fails, since the last one was cut short.
static _Atomic char fails_next[4096];

// What stood where something was written that is not synced yet.
struct undo {
  off_t at;
  size_t length;
  char *before;
  struct undo *older;
};
struct file {
  dev_t device;
  ino_t inode;
  off_t size;
  struct undo *newest;
  struct file *next;
};
static struct file *files;
// By descriptor: the inode of a file that lost something since the descriptor was opened, which its next sync tells; 0 for none.
static ino_t owed[4096];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("DISK_FAULTS_CONTROL");
  directory = getenv("DISK_FAULTS_DIRECTORY");
  if (!path || !directory) return;
  directory_length = strlen(directory);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    perror("disk-faults");
    abort();
  }
  control = mapped;
  close(fd);
}

// Splitmix64 of the seed and the number of the call.
static int happens(uint32_t of_a_million) {
  if (of_a_million == 0) return 0;
  uint64_t z = ((uint64_t)control->seed << 32) + atomic_fetch_add(&calls, 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % 1000000 < of_a_million;
}

static int path_of(int fd, char path[PATH_MAX]) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return !strncmp(path, directory, directory_length) && path[directory_length] == '/';
}

static int is_on_disk(int fd) {
  char path[PATH_MAX];
  return control && path_of(fd, path);
}

static int is_database(int fd) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return 0;
  const char *name = strrchr(path, '/') + 1;
  return !strcmp(name, "listwright.db") || !strcmp(name, "listwright.db-wal");
}

// What a file has now stays, also when a sync fails.
static void forget_undos(struct file *file, off_t size) {
  while (file->newest) {
    struct undo *older = file->newest->older;
    free(file->newest->before);
    free(file->newest);
    file->newest = older;
  }
  file->size = size;
}

// To be called with the lock.
static struct file *file_of(int fd, int make) {
  struct stat found;
  if (fstat(fd, &found)) return NULL;
  for (struct file *each = files; each; each = each->next)
    if (each->device == found.st_dev && each->inode == found.st_ino) {
      // Nothing comes back to one that is empty: it may have taken the number of another that was removed.
      if (found.st_size == 0) forget_undos(each, 0);
      return each;
    }
  if (!make) return NULL;
  struct file *new = calloc(1, sizeof *new);
  if (!new) abort();
  *new = (struct file){found.st_dev, found.st_ino, found.st_size, NULL, files};
  return files = new;
}

static void remember(int fd, size_t length, off_t at) {
  if (!is_database(fd)) return;
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd, 1);
  struct undo *undo = malloc(sizeof *undo);
  char *before = malloc(length ? length : 1);
  if (!file || !undo || !before) abort();
  ssize_t had = syscall(SYS_pread64, fd, before, length, at);
  *undo = (struct undo){at, had > 0 ? (size_t)had : 0, before, file->newest};
  file->newest = undo;
  pthread_mutex_unlock(&lock);
}

// To be called with the lock. Linux tells of a loss through every descriptor that the file has then, also one that only reads, each
// at its next sync (errseq_t); one that is opened later is told nothing.
static void owe_others(struct file *file, int told) {
  struct stat found;
  for (int fd = 0; fd < 4096; fd++)
    if (fd != told && !fstat(fd, &found) && found.st_dev == file->device && found.st_ino == file->inode)
      owed[fd] = file->inode;
}

static int is_owed(int fd) {
  struct stat found;
  if (fd < 0 || fd >= 4096) return 0;
  pthread_mutex_lock(&lock);
  int is_lost = owed[fd] != 0 && !fstat(fd, &found) && found.st_ino == owed[fd];
  owed[fd] = 0;
  pthread_mutex_unlock(&lock);
  return is_lost;
}

static int opened(int fd) {
  if (fd < 0 || fd >= 4096) return fd;
  pthread_mutex_lock(&lock);
  owed[fd] = 0;
  pthread_mutex_unlock(&lock);
  return fd;
}

// What was written since the last sync stands, or is lost.
static void settle(int fd, int is_lost) {
  struct stat found;
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd, 0);
  if (file && is_lost) {
    for (struct undo *each = file->newest; each; each = each->older)
      if (each->length > 0) syscall(SYS_pwrite64, fd, each->before, each->length, each->at);
    syscall(SYS_ftruncate, fd, file->size);
    owe_others(file, fd);
  }
  if (file) forget_undos(file, is_lost || fstat(fd, &found) ? file->size : found.st_size);
  pthread_mutex_unlock(&lock);
}

// How much of a write is done; -1 for nothing, with an error.
static ssize_t allowed(int fd, size_t length) {
  int is_known = fd >= 0 && fd < 4096;
  if ((is_known && atomic_exchange(&fails_next[fd], 0)) || happens(control->failed_writes)) {
    atomic_fetch_add(&control->had_failed, 1);
    errno = EIO;
    return -1;
  }
  if (length > 1 && happens(control->short_writes)) {
    atomic_fetch_add(&control->were_short, 1);
    if (is_known && happens(500000)) fails_next[fd] = 1;
    return (ssize_t)(length / 2);
  }
  return (ssize_t)length;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  if (is_on_disk(fd)) {
    ssize_t part = allowed(fd, length);
    if (part < 0) return -1;
    length = (size_t)part;
    remember(fd, length, at);
  }
  return syscall(SYS_pwrite64, fd, bytes, length, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  if (is_on_disk(fd)) {
    ssize_t part = allowed(fd, length);
    if (part < 0) return -1;
    length = (size_t)part;
  }
  return syscall(SYS_write, fd, bytes, length);
}

// Of several parts, the first alone: that is a short write as well.
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!is_on_disk(fd) || count == 0) return syscall(SYS_writev, fd, parts, count);
  return write(fd, parts[0].iov_base, parts[0].iov_len);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  if (!is_on_disk(fd) || count == 0) return syscall(SYS_pwritev, fd, parts, count, at, at >> 32);
  return pwrite64(fd, parts[0].iov_base, parts[0].iov_len, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open(const char *path, int flags, ...) __attribute__((alias("open64")));

static int synced(int fd, long call) {
  if (is_on_disk(fd)) {
    if (is_owed(fd)) {
      errno = EIO;
      return -1;
    }
    if (happens(control->failed_syncs)) {
      atomic_fetch_add(&control->were_unsynced, 1);
      settle(fd, 1);
      errno = EIO;
      return -1;
    }
    settle(fd, 0);
  }
  return (int)syscall(call, fd);
}

int fsync(int fd) { return synced(fd, SYS_fsync); }

int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

int ftruncate64(int fd, off_t length) {
  int failed = (int)syscall(SYS_ftruncate, fd, length);
  if (!failed && is_on_disk(fd)) settle(fd, 0);
  return failed;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
