#include "core/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_memory.h"
#include "core/base/near_match.h"
#include "core/base/redirect_writes.h"

namespace tl {

namespace fs = std::filesystem;

namespace {

void append_utf8(std::string& text, std::uint32_t code) {
    auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
    auto rest = [&](int shift) { byte(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
        byte(0xC0 | (code >> 6));
    } else if (code < 0x10000) {
        byte(0xE0 | (code >> 12));
        rest(6);
    } else {
        byte(0xF0 | (code >> 18));
        rest(12);
        rest(6);
    }
    rest(0);
}

/// Converts UTF-16 to UTF-8; the high bytes are at odd offsets, or at even ones. Unpaired
/// surrogates become U+FFFD.
std::string utf8_of_utf16(std::string_view bytes, bool high_is_odd) {
    auto unit = [&](std::size_t at) {
        auto low = static_cast<unsigned char>(bytes[at + (high_is_odd ? 0 : 1)]);
        auto high = static_cast<unsigned char>(bytes[at + (high_is_odd ? 1 : 0)]);
        return static_cast<std::uint32_t>(low | high << 8);
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
        std::uint32_t code = unit(at);
        if (code >= 0xD800 && code < 0xE000) {
            std::uint32_t next = at + 3 < bytes.size() ? unit(at + 2) : 0;
            if (code < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + (next - 0xDC00);
                at += 2;
            } else {
                code = 0xFFFD;
            }
        }
        append_utf8(text, code);
    }
    return text;
}

const char* in_words(fs::file_type type) {
    switch (type) {
        case fs::file_type::fifo:
            return "a pipe";
        case fs::file_type::socket:
            return "a socket";
        case fs::file_type::block:
        case fs::file_type::character:
            return "a device";
        default:
            return "something else";
    }
}

}  // namespace

std::size_t regular_file_size(const fs::path& path, const ReadObserver& observer) {
    observer.note(path.string());
    std::error_code error;
    auto refuse = [&](const std::string& what) { throw UserError(path.string() + ": " + what); };
    auto type = fs::status(path, error).type();
    if (type == fs::file_type::not_found) refuse("no such file" + path_suggestion(path.string()));
    if (type == fs::file_type::none) refuse("cannot be read: " + error.message());
    if (type == fs::file_type::directory) refuse("is a folder; name a file in it");
    if (type != fs::file_type::regular)
        refuse(std::string("is not a regular file but ") + in_words(type) +
               "; copy what it holds into a file, and name that");
    auto size = fs::file_size(path, error);
    if (error) refuse("cannot be read: " + error.message());
    return size;
}

std::string read_file(const fs::path& path, const ReadObserver& observer, std::size_t limit) {
    std::size_t size = regular_file_size(path, observer);
    if (size > limit)
        throw UserError(path.string() + ": has " + std::to_string(size >> 20) + " MiB; at most " +
                        std::to_string(limit >> 20) + " MiB are read");
    require_host_memory(size, path.string() + ": the file", "name a smaller one");

    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UserError(path.string() + ": cannot be opened: " + std::strerror(errno));
    std::string bytes(size, '\0');
    constexpr std::size_t kPart = std::size_t{8} << 20;
    std::size_t done = 0;
    while (done < size && file) {
        observer.progress.report_read(static_cast<double>(done) / static_cast<double>(size));
        auto part = static_cast<std::streamsize>(std::min(kPart, size - done));
        file.read(bytes.data() + done, part);
        done += static_cast<std::size_t>(file.gcount());
    }
    if (file.bad()) throw UserError(path.string() + ": reading failed: " + std::strerror(errno));
    observer.progress.report_read(1);
    bytes.resize(done);
    return bytes;
}

std::string read_text_file(const fs::path& path, const ReadObserver& observer, std::size_t limit) {
    std::string text = read_file(path, observer, limit);
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return utf8_of_utf16(std::string_view(text).substr(2), text[0] == '\xFF');
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    return text;
}

namespace {

// Names of the temporary files that exist. Whoever takes a name out of the list owns it.
constexpr std::size_t kMostTemporaryFiles = 256;
std::atomic<char*> temporary_files[kMostTemporaryFiles];

/// A copy of the name in the list; not in the list where that is full.
char* listed(const std::string& name) {
    char* copy = strdup(name.c_str());
    for (auto& entry : temporary_files) {
        char* none = nullptr;
        if (entry.compare_exchange_strong(none, copy)) break;
    }
    return copy;
}

/// Frees the name of a file that is no longer there. A name that is not in the list may be in use
/// by a signal handler, and is kept.
void unlist(char* name) {
    for (auto& entry : temporary_files) {
        char* mine = name;
        if (entry.compare_exchange_strong(mine, nullptr)) return std::free(name);
    }
    static std::mutex mutex;
    static auto& kept = *new std::vector<char*>;  // never destroyed, as handlers may run to the end
    std::scoped_lock lock(mutex);
    kept.push_back(name);
}

/// The file that a path leads to through symbolic links, whether or not it exists.
fs::path end_of_links(const fs::path& path) {
    std::error_code error;
    if (!fs::is_symlink(path, error)) return path;
    auto end = fs::weakly_canonical(path, error);
    return error ? path : end;
}

/// Devices, pipes, and the files that standard output may be.
bool is_written_directly(const std::string& path, mode_t mode) {
    return !S_ISREG(mode) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

/// Opens a device or pipe for direct writing. A pipe waits for its reader, but only for a while.
int open_directly(const std::string& path, mode_t mode) {
    constexpr auto kStep = std::chrono::milliseconds(20);
    constexpr int kMostSteps = 250;  // five seconds
    int file = -1;
    for (int step = 0; step < kMostSteps; ++step) {
        file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0 || errno != ENXIO || !S_ISFIFO(mode)) break;
        std::this_thread::sleep_for(kStep);
    }
    if (file < 0 && errno == ENXIO && S_ISFIFO(mode))
        throw UserError(path + ": is a pipe that nobody reads; start its reader, or name a file");
    if (file >= 0) (void)fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    return file;
}

std::string folder_of_all_writes;  // set by redirect_writes()

/// A name in the target's folder that no other writer uses, within the length limit of names.
std::string temporary_name(const fs::path& target) {
    constexpr std::size_t kLongest = 200;
    static std::atomic<unsigned> counter{0};
    std::string name = ".";
    name += target.filename().string().substr(0, kLongest);
    for (std::uint64_t number : {std::uint64_t(getpid()), std::uint64_t(counter++)})
        name += '.' + std::to_string(number);
    return (target.parent_path() / (name + ".part")).string();
}

}  // namespace

void redirect_writes(const std::string& folder) {
    folder_of_all_writes = folder;
}

std::string place_of_write(const std::string& path) {
    struct stat old {};
    bool direct = stat(path.c_str(), &old) == 0 && !S_ISDIR(old.st_mode) &&
                  is_written_directly(path, old.st_mode);
    if (folder_of_all_writes.empty() || direct) return path;
    return (fs::path(folder_of_all_writes) / fs::path(path).filename()).string();
}

FileWriter::FileWriter(const std::string& path)
    : path_(place_of_write(path)), target_(end_of_links(path_).string()) {
    struct stat old {};
    bool exists = stat(path_.c_str(), &old) == 0;
    if (exists && access(path_.c_str(), W_OK) != 0) fail();
    if (exists && is_written_directly(path_, old.st_mode)) {
        file_ = open_directly(path_, old.st_mode);
        if (file_ < 0) fail();
        return;
    }
    if (fs::path(target_).filename().empty()) {
        errno = EISDIR;
        fail();
    }
    auto name = temporary_name(target_);
    file_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
    temporary_ = listed(name);
    // Some file systems have no permissions to keep.
    if (exists) (void)fchmod(file_, old.st_mode & 0777);
}

FileWriter::~FileWriter() {
    if (file_ >= 0) close(file_);
    if (!temporary_) return;
    unlink(temporary_);
    unlist(temporary_);
}

void FileWriter::write(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void FileWriter::complete() {
    // A file that cannot be flushed, such as a pipe, gives EINVAL.
    if (fsync(file_) != 0 && errno != EINVAL) fail();
    if (close(std::exchange(file_, -1)) != 0) fail();
}

void FileWriter::publish() {
    if (!temporary_) return;
    if (std::rename(temporary_, target_.c_str()) != 0) fail();
    unlist(std::exchange(temporary_, nullptr));
}

void FileWriter::fail() const {
    const char* reason = std::strerror(errno);
    throw UserError(path_ + ": cannot be written: " + reason +
                    "; name a file in a folder that exists, can be written and has room");
}

void finish_together(std::span<FileWriter* const> files) {
    for (auto* file : files) file->complete();
    for (auto* file : files) file->publish();
}

void require_writable(const std::string& path, std::uint64_t bytes) {
    struct stat old {};
    bool direct = stat(path.c_str(), &old) == 0 && is_written_directly(path, old.st_mode);
    // Opening a pipe would wait for its reader, and a device has no folder to look into.
    if (direct && !S_ISDIR(old.st_mode) && access(path.c_str(), W_OK) == 0) return;
    FileWriter attempt(path);
    auto folder = end_of_links(path).parent_path();
    struct statvfs disk {};
    if (statvfs(folder.empty() ? "." : folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return;
    auto blocks = geteuid() == 0 ? disk.f_bfree : disk.f_bavail;
    std::uint64_t room = std::uint64_t{blocks} * disk.f_frsize;
    if (room < bytes)
        throw UserError(path + ": cannot be written: its disk has room for " +
                        std::to_string(room) + " bytes, and it takes at least " +
                        std::to_string(bytes) + "; make room, or name a file on another disk");
}

void remove_temporary_files() {
    for (auto& entry : temporary_files)
        if (const char* name = entry.exchange(nullptr)) unlink(name);
}

void write_file(const std::string& path, std::string_view bytes) {
    FileWriter file(path);
    file.write(bytes);
    file.finish();
}

std::string_view trimmed(std::string_view text) {
    auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (auto& c : lower)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    return lower;
}

}  // namespace tl
