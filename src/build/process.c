/* Running another program through posix_spawn, or a function in a forked child, with a pipe for what they say. */
#include "build/process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void read_all(int from, text *output)
{
    char buffer[4096];
    for (;;) {
        ssize_t n = read(from, buffer, sizeof buffer);
        if (n > 0)
            text_add_n(output, buffer, (size_t)n);
        else if (n == 0 || errno != EINTR)
            return;
    }
}

static void write_all(int to, const char *from, size_t bytes)
{
    while (bytes) {
        ssize_t n = write(to, from, bytes);
        if (n < 0 && errno != EINTR)
            return;
        from += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
}

/* The child's wait status, or -1 when there is none. */
static int wait_status(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static int wait_for(pid_t child)
{
    int status = wait_status(child);
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The child's ends of both streams are the pipe; posix_spawn takes argv without const but does not write to
 * it. */
static bool spawn(const char *const *command, const int pipe_ends[2], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    char *const *argv;
    memcpy(&argv, &command, sizeof argv);
    bool ok = posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO) == 0 &&
              posix_spawn_file_actions_addclose(&actions, pipe_ends[0]) == 0 &&
              posix_spawn(child, command[0], &actions, NULL, argv, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return ok;
}

int process_run(const char *const *command, text *output)
{
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0)
        return -1;
    pid_t child;
    bool started = spawn(command, pipe_ends, &child);
    (void)close(pipe_ends[1]);
    if (started)
        read_all(pipe_ends[0], output);
    else
        text_printf(output, "%s could not be started", command[0]);
    (void)close(pipe_ends[0]);
    return started ? wait_for(child) : -1;
}

/* A crash must end the child: not be caught by a handler of the parent's, nor leave a core file. */
static void let_crashes_end(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
        (void)signal(crashes[i], SIG_DFL);
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
}

_Noreturn static void guarded_child(process_work work, void *context, int to)
{
    let_crashes_end();
    text result = {0};
    work(context, &result);
    write_all(to, text_str(&result), result.len);
    _exit(0); /* the parent's exit handlers and unwritten output are not the child's */
}

bool process_guard(process_work work, void *context, text *result, text *why_not)
{
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) {
        text_printf(why_not, "no pipe: %s", strerror(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0)
        guarded_child(work, context, pipe_ends[1]);
    (void)close(pipe_ends[1]);
    if (child > 0)
        read_all(pipe_ends[0], result);
    (void)close(pipe_ends[0]);
    int status = child > 0 ? wait_status(child) : -1;
    if (status != -1 && WIFSIGNALED(status))
        text_printf(why_not, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (status != -1 && WEXITSTATUS(status) != 0) /* a sanitizer, or the library itself, ended it */
        text_printf(why_not, "ended the process with status %d", WEXITSTATUS(status));
    else if (status != 0)
        text_add(why_not, "could not be run in a process of its own");
    return status == 0;
}

bool process_temporary_folder(text *path)
{
    const char *parent = getenv("TMPDIR");
    text_printf(path, "%s/warpwright-XXXXXX", parent && *parent ? parent : "/tmp");
    return mkdtemp(path->at) != NULL;
}
