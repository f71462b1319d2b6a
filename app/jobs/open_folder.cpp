#include "app/jobs/open_folder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "core/base/error.h"

namespace tl {

void open_folder_of(const std::string& file) {
    auto folder = std::filesystem::path(file).parent_path().string();
    char program[] = "xdg-open";
    char* argv[] = {program, folder.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    // A session of its own: it outlives the viewer and gets none of its signals.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t process = 0;
    int error = posix_spawnp(&process, program, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        throw UserError("xdg-open is not installed (package xdg-utils); the folder is " + folder);
    if (error != 0)
        throw UserError(std::string("xdg-open cannot be started: ") + std::strerror(error) +
                        "; the folder is " + folder);
    std::thread([process] {
        int status = 0;
        (void)waitpid(process, &status, 0);
    }).detach();
}

}  // namespace tl
