/* Running another program through posix_spawn, with a pipe for its output. */
#include "build/process.h"

#include <errno.h>
#include <spawn.h>
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

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

bool process_temporary_folder(text *path)
{
    const char *parent = getenv("TMPDIR");
    text_printf(path, "%s/warpwright-XXXXXX", parent && *parent ? parent : "/tmp");
    return mkdtemp(path->at) != NULL;
}
