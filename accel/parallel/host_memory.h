// Memory that this process may still take: that of the machine, within the limits that are set for
// the process (setrlimit(2)) and for its control group (cgroups(7)).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tl {

/// A limit on the memory of this process.
struct MemoryLimit {
    std::uint64_t bytes = 0;  ///< allowed
    std::uint64_t free = 0;   ///< the part of them that can still be allocated
    std::string words;        ///< "ulimit -v allows 430 MB of address space"
};

/// The limit on address space (ulimit -v); none where it is unlimited.
[[nodiscard]] std::optional<MemoryLimit> address_space_limit();

/// The limits of a process's control group and of those that it lies in, of both versions.
/// `membership`: the text of /proc/PID/cgroup; `root`: where the groups are, /sys/fs/cgroup.
[[nodiscard]] std::vector<MemoryLimit> control_group_limits(const std::string& membership,
                                                            const std::filesystem::path& root);

struct HostMemory {
    std::uint64_t free = UINT64_MAX;   ///< bytes that can still be allocated (estimate)
    std::uint64_t total = UINT64_MAX;  ///< bytes of the machine, or the tightest limit
    std::string limit{};               ///< MemoryLimit::words of what makes `free` small; or ""
};
[[nodiscard]] HostMemory host_memory();

/// Throws UserError if a limit on address space leaves less than `bytes` to `what`.
void require_address_space(std::uint64_t bytes, const std::string& what);

}  // namespace tl
