#include "solvers/minimal/shared_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"

extern char** environ;

namespace tl::minimal {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, with all files in it, for the time of a compilation.
class WorkFolder {
  public:
    explicit WorkFolder(const fs::path& beside) {
        path_ = (beside / "compile-XXXXXX").string();
        if (!mkdtemp(path_.data()))
            throw UserError(path_ + ": the folder cannot be made: " + std::strerror(errno));
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

/// Runs a program, with its messages in a file, and waits. Returns its exit status, or -1 with
/// errno if it could not be started or was killed.
int run_program(const std::vector<std::string>& words, const std::string& messages) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t process = 0;
    int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    if (error != 0) return -1;
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return -1;
    errno = EINTR;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string compiler() {
    const char* chosen = std::getenv("CXX");
    return chosen && *chosen ? chosen : "c++";
}

}  // namespace

void SharedObject::Closer::operator()(void* handle) const {
    dlclose(handle);
}

SharedObject::SharedObject(const std::string& path)
    : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) {
        const char* why = dlerror();
        throw UserError(path + ": cannot be loaded: " + one_line(why ? why : "unknown error"));
    }
    auto& f = functions_;
    auto* sizes = static_cast<const int*>(symbol("treelight_sizes"));
    for (int* size : {&f.n_parameters, &f.n_unknowns, &f.n_solutions, &f.n_equations,
                      &f.n_coefficients, &f.n_rows, &f.n_reducible, &f.n_columns})
        *size = *sizes++;
    auto take = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol(name));
    };
    take(f.coefficients, "treelight_coefficients");
    take(f.fill, "treelight_fill");
    take(f.action, "treelight_action");
    take(f.unknowns, "treelight_unknowns");
    take(f.residuals, "treelight_residuals");
    f.summary = static_cast<const char*>(symbol("treelight_summary"));
    f.multiple = static_cast<const char*>(symbol("treelight_multiple"));
}

void* SharedObject::symbol(const char* name) const {
    void* found = dlsym(handle_.get(), name);
    if (!found)
        throw UserError(path_ + ": is no solver, since it has no " + name +
                        "; remove it, so that it is compiled again");
    return found;
}

std::string solver_cache() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder =
        cache && *cache == '/' ? fs::path(cache) : fs::path(home && *home ? home : ".") / ".cache";
    folder = folder / "treelight" / "solvers";
    std::error_code error;
    bool is_new = fs::create_directories(folder, error);
    if (is_new) fs::permissions(folder, fs::perms::owner_all, error);
    if (error)
        throw UserError(folder.string() + ": the folder of compiled solvers cannot be made: " +
                        error.message() + "; set XDG_CACHE_HOME to a folder that can be written");
    struct stat info {};
    if (stat(folder.c_str(), &info) != 0 || info.st_uid != geteuid() ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw UserError(folder.string() +
                        ": the folder of compiled solvers belongs to another user, or others may "
                        "write to it; set XDG_CACHE_HOME to a folder of your own");
    return folder.string();
}

void compile_shared_object(const std::string& text, const std::string& path) {
    WorkFolder folder(fs::path(path).parent_path());
    auto source = folder.file("solver.cpp"), object = folder.file("solver.so"),
         messages = folder.file("messages.txt");
    write_file(source, text);
    int status = run_program({compiler(), "-std=c++17", "-O2", "-march=x86-64-v3", "-fPIC",
                              "-shared", "-fvisibility=hidden", "-w", "-o", object, source},
                             messages);
    if (status < 0)
        throw UserError("the compiler '" + compiler() + "' cannot be run: " + std::strerror(errno) +
                        "; install g++, or name a C++ compiler in CXX");
    if (status != 0)
        throw UserError("the compiler '" + compiler() +
                        "' has failed: " + one_line(read_file(messages)));
    // A file under the final name is complete, whoever else compiles the same solver.
    std::error_code error;
    fs::rename(object, path, error);
    if (error) throw UserError(path + ": cannot be written: " + error.message());
}

}  // namespace tl::minimal
