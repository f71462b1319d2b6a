#include "solvers/minimal/compiler.h"

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

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"
#include "solvers/minimal/solver_writer.h"

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
    /// Starts it, with its messages in a file. Throws UserError, which ends with `advice`, if it
    /// cannot be started.
    Program(const std::vector<std::string>& words, const std::string& messages,
            const char* advice) {
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
            throw UserError("the compiler '" + words[0] +
                            "' cannot be run: " + std::strerror(error) + "; " + advice);
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

/// Describes how the compiler has failed. The driver survives if memory ran out for the compiler
/// proper, and says so among its messages.
std::string failure_text(const std::string& name, int status, const std::string& messages,
                         const char* advice) {
    constexpr const char* kMemoryAdvice =
        "; if memory has run out, end other programs, or state the system with fewer unknowns or "
        "equations of lower degree";
    if (WIFSIGNALED(status))
        return "the compiler '" + name + "' was ended by signal " +
               std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")" +
               kMemoryAdvice + "; " + advice;
    bool lacks_memory = false;
    for (const char* words : {"signal terminated program", "out of memory", "memory exhausted",
                              "Cannot allocate memory", "bad_alloc"})
        lacks_memory = lacks_memory || messages.find(words) != std::string::npos;
    return "the compiler '" + name + "' has failed: " + one_line(messages) +
           (lacks_memory ? kMemoryAdvice : "") + "; " + advice;
}

/// FNV-1a, 64 bits, in hexadecimal digits.
std::string hash_of(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
    std::string digits;
    for (int shift = 56; shift >= 0; shift -= 8)
        digits += hex_text(static_cast<std::uint8_t>(hash >> shift));
    return digits;
}

}  // namespace

std::vector<std::string> words_of_variable(const char* variable) {
    const char* chosen = std::getenv(variable);
    std::istringstream text(chosen ? chosen : "");
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
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

std::string cached_path(const PolynomialSystem& system, const std::string& form,
                        const std::string& ending) {
    auto key = std::to_string(kSourceVersion) + "\n" + form_text(system.action, system.unknowns) +
               "\n" + system.source + form;
    return solver_cache() + "/" + system.name + "-" + hash_of(key) + ending;
}

void compile_file(const Compilation& compilation, const std::string& path,
                  const ProgressPoll& poll) {
    WorkFolder folder(fs::path(path).parent_path());
    auto source = folder.file(compilation.source_name), object = folder.file("compiled"),
         messages = folder.file("messages.txt");
    write_file(source, compilation.text);
    auto words = compilation.command;
    words.insert(words.end(), {"-o", object, source});
    if (int status = Program(words, messages, compilation.advice).wait(poll); status != 0)
        throw UserError(failure_text(words[0], status, read_file(messages), compilation.advice));
    // A file under the final name is complete, whoever else compiles the same solver.
    std::error_code error;
    fs::rename(object, path, error);
    if (error) throw UserError(path + ": cannot be written: " + error.message());
}

}  // namespace tl::minimal
