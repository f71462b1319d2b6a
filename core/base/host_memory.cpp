#include "core/base/host_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/base/error.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

std::string megabytes(std::uint64_t bytes) {
    return std::to_string(bytes >> 20) + " MB";
}

std::uint64_t rest(std::uint64_t allowed, std::uint64_t taken) {
    return allowed - std::min(allowed, taken);
}

/// Fields of /proc/self/statm that count pages.
constexpr int kMapped = 0, kData = 5;

std::uint64_t bytes_of_field(int index) {
    std::uint64_t pages = 0;
    std::ifstream file("/proc/self/statm");
    for (int k = 0; k <= index; ++k)
        if (!(file >> pages)) return 0;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// A limit of setrlimit(2); `field`: counter of the memory in use under it.
std::optional<MemoryLimit> resource_limit(int resource, int field, const char* flag,
                                          const char* of_what) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    std::uint64_t allowed = limit.rlim_cur;
    return MemoryLimit{
        allowed, rest(allowed, bytes_of_field(field)),
        std::string("ulimit ") + flag + " allows " + megabytes(allowed) + " of " + of_what};
}

/// The number in a file of a control group; none for "max" or where there is no file.
std::optional<std::uint64_t> number_of(const fs::path& file) {
    std::uint64_t number = 0;
    std::ifstream stream(file);
    if (stream >> number) return number;
    return {};
}

/// The sum of these lines of a control group's memory.stat.
std::uint64_t sum_of_stats(const fs::path& file, std::initializer_list<std::string_view> names) {
    std::ifstream stream(file);
    std::string name;
    std::uint64_t number = 0, sum = 0;
    while (stream >> name >> number)
        if (std::ranges::find(names, name) != names.end()) sum += number;
    return sum;
}

/// The limit of one group. Pages of files, which the kernel reclaims under memory pressure, count
/// as free.
std::optional<MemoryLimit> limit_of_group(const fs::path& group, bool is_second_version) {
    auto allowed = number_of(group / (is_second_version ? "memory.max" : "memory.limit_in_bytes"));
    // The first version writes "no limit" as a number beyond any memory.
    constexpr std::uint64_t kNone = std::uint64_t{1} << 60;
    if (!allowed || *allowed >= kNone) return {};
    auto taken =
        number_of(group / (is_second_version ? "memory.current" : "memory.usage_in_bytes"));
    auto of_files =
        is_second_version
            ? sum_of_stats(group / "memory.stat", {"inactive_file", "active_file"})
            : sum_of_stats(group / "memory.stat", {"total_inactive_file", "total_active_file"});
    return MemoryLimit{*allowed, rest(*allowed, rest(taken.value_or(0), of_files)),
                       "its control group allows " + megabytes(*allowed)};
}

/// The machine's own memory.
HostMemory machine_memory() {
    HostMemory memory;
    std::ifstream info("/proc/meminfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("MemAvailable:")) memory.free = std::stoull(line.substr(13)) << 10;
    memory.total = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return memory;
}

std::string text_of_file(const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

std::optional<MemoryLimit> address_space_limit() {
    return resource_limit(RLIMIT_AS, kMapped, "-v", "address space");
}

std::vector<MemoryLimit> control_group_limits(const std::string& membership, const fs::path& root) {
    std::vector<MemoryLimit> limits;
    std::istringstream lines(membership);
    // "NUMBER:CONTROLLERS:/PATH"; the second version has no controllers here.
    for (std::string line; std::getline(lines, line);) {
        auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        std::string controllers(1, ',');
        controllers.append(line, first + 1, second - first - 1).push_back(',');
        bool is_second_version = controllers == ",,";
        if (!is_second_version && controllers.find(",memory,") == std::string::npos) continue;
        fs::path base = is_second_version ? root : root / "memory";
        // A container may see the hierarchy from its own group on, under the path of the host.
        for (auto group = fs::path(line.substr(second + 1)).relative_path();;
             group = group.parent_path()) {
            if (auto limit = limit_of_group(base / group, is_second_version))
                limits.push_back(*limit);
            if (group.empty()) break;
        }
    }
    return limits;
}

HostMemory host_memory() {
    static const std::string membership = text_of_file("/proc/self/cgroup");
    HostMemory memory = machine_memory();
    auto limits = control_group_limits(membership, "/sys/fs/cgroup");
    if (auto limit = address_space_limit()) limits.push_back(*limit);
    if (auto limit = resource_limit(RLIMIT_DATA, kData, "-d", "data")) limits.push_back(*limit);
    for (auto& limit : limits) {
        memory.total = std::min(memory.total, limit.bytes);
        if (limit.free >= memory.free) continue;
        memory.free = limit.free;
        memory.limit = limit.words;
    }
    return memory;
}

void require_host_memory(std::uint64_t bytes, const std::string& what, const std::string& advice) {
    HostMemory memory = host_memory();
    if (bytes > memory.free)
        throw refused_memory("cpu", bytes, memory.free, memory.limit, what, advice);
}

OutOfMemory refused_memory(const std::string& device, std::uint64_t bytes, std::uint64_t free_bytes,
                           const std::string& limit, const std::string& what,
                           const std::string& advice) {
    return OutOfMemory(what + " needs about " + megabytes(bytes) + " on " + device + ", where " +
                       megabytes(free_bytes) + " are free" +
                       (limit.empty() ? "" : " (" + limit + ")") + ": " + advice);
}

void require_address_space(std::uint64_t bytes, const std::string& what) {
    auto limit = address_space_limit();
    if (!limit || limit->free >= bytes) return;
    throw UserError(what + " needs about " + megabytes(bytes) + " of address space, where " +
                    megabytes(limit->free) + " are free (" + limit->words +
                    "): raise that limit (ulimit -v unlimited)");
}

}  // namespace tl
