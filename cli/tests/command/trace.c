// Writes a line to the file $TRACE for each call that changes files under $TRACE_FOLDER.
// durability.rs preloads it into a command.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(const char *event, const char *path, const char *other)
{
    const char *trace = getenv("TRACE"), *folder = getenv("TRACE_FOLDER");
    if (!trace || !folder || strncmp(path, folder, strlen(folder)) != 0)
        return;
    char line[9000];
    int length = snprintf(line, sizeof line, "%s\t%s%s%s\n", event, path, other ? "\t" : "", other ? other : "");
    long file = syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_CREAT | O_APPEND, 0600);
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
}

static void say_of(const char *event, int file)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        say(event, path, NULL);
    }
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    int is_new = flags & O_CREAT && access(path, F_OK) != 0;
    int file = NEXT(open64)(path, flags, mode);
    if (file >= 0 && is_new)
        say_of("create", file);
    return file;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    say_of("write", file);
    return NEXT(write)(file, bytes, count);
}

int ftruncate64(int file, off64_t length)
{
    say_of("write", file);
    return NEXT(ftruncate64)(file, length);
}

int fsync(int file)
{
    say_of("sync", file);
    return NEXT(fsync)(file);
}

int fdatasync(int file)
{
    say_of("sync", file);
    return NEXT(fdatasync)(file);
}

int rename(const char *from, const char *to)
{
    say("rename", from, to);
    return NEXT(rename)(from, to);
}

int unlink(const char *path)
{
    say("unlink", path, NULL);
    return NEXT(unlink)(path);
}
