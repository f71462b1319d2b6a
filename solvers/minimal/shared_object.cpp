#include "solvers/minimal/shared_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>
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

/// A running program in a process group of its own, so that Ctrl+C reaches it by its parent alone.
class Program {
  public:
    /// Starts it, with its messages in a file. Throws UserError if it cannot be started.
    Program(const std::vector<std::string>& words, const std::string& messages) {
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, messages.c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        int error = posix_spawnp(&process_, argv[0], &actions, &attributes, argv.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0)
            throw UserError("the compiler '" + words[0] + "' cannot be run: " +
                            std::strerror(error) + "; install g++, or name a C++ compiler in CXX");
    }
    /// Ends it, with all programs that it has started.
    ~Program() {
        if (has_ended_) return;
        kill(-process_, SIGTERM);
        (void)wait_for_end(0);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Waits for its end and returns its status, as waitpid() does.
    int wait(const ProgressPoll& poll) {
        using namespace std::chrono_literals;
        while (!wait_for_end(WNOHANG)) {
            if (poll) poll(0);
            std::this_thread::sleep_for(10ms);
        }
        return status_;
    }

  private:
    bool wait_for_end(int flags) {
        pid_t ended = 0;
        do ended = waitpid(process_, &status_, flags);
        while (ended < 0 && errno == EINTR);
        // The status is lost if the parent ignores SIGCHLD.
        if (ended < 0) status_ = 0;
        has_ended_ = ended != 0;
        return has_ended_;
    }

    pid_t process_ = 0;
    int status_ = 0;
    bool has_ended_ = false;
};

/// Words of $CXX, else c++.
std::vector<std::string> compiler() {
    const char* chosen = std::getenv("CXX");
    std::istringstream text(chosen ? chosen : "");
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words.empty() ? std::vector<std::string>{"c++"} : words;
}

/// Describes how the compiler has failed. The driver survives if memory ran out for the compiler
/// proper, and says so among its messages.
std::string failure_text(const std::string& name, int status, const std::string& messages) {
    constexpr const char* kAdvice =
        "; if memory has run out, end other programs, or state the system with fewer unknowns or "
        "equations of lower degree";
    if (WIFSIGNALED(status))
        return "the compiler '" + name + "' was ended by signal " +
               std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")" +
               kAdvice;
    bool lacks_memory = false;
    for (const char* words : {"signal terminated program", "out of memory", "memory exhausted",
                              "Cannot allocate memory", "bad_alloc"})
        lacks_memory = lacks_memory || messages.find(words) != std::string::npos;
    return "the compiler '" + name + "' has failed: " + one_line(messages) +
           (lacks_memory ? kAdvice : "");
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

void compile_shared_object(const std::string& text, const std::string& path,
                           const ProgressPoll& poll) {
    WorkFolder folder(fs::path(path).parent_path());
    auto source = folder.file("solver.cpp"), object = folder.file("solver.so"),
         messages = folder.file("messages.txt");
    write_file(source, text);
    auto words = compiler();
    const auto name = words[0];
    for (auto* word : {"-std=c++17", "-O2", "-march=x86-64-v3", "-fPIC", "-shared",
                       "-fvisibility=hidden", "-w", "-o"})
        words.emplace_back(word);
    words.insert(words.end(), {object, source});
    if (int status = Program(words, messages).wait(poll); status != 0)
        throw UserError(failure_text(name, status, read_file(messages)));
    // A file under the final name is complete, whoever else compiles the same solver.
    std::error_code error;
    fs::rename(object, path, error);
    if (error) throw UserError(path + ": cannot be written: " + error.message());
}

}  // namespace tl::minimal
