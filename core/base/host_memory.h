// Memory that this process can still allocate: the free memory of the machine, within the limits
// on address space and data of the process (setrlimit(2)) and those of its control group
// (cgroups(7)).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace tl {

/// A limit on the memory of this process.
struct MemoryLimit {
    std::uint64_t bytes = 0;  ///< the limit
    std::uint64_t free = 0;   ///< bytes of it that can still be allocated
    std::string words;        ///< the limit in words: "ulimit -v allows 430 MB of address space"
};

/// The limit on address space (ulimit -v); none where it is unlimited.
[[nodiscard]] std::optional<MemoryLimit> address_space_limit();

/// The memory limits of a process's control group and of all groups that contain it, in cgroup v1
/// and v2. `membership`: the text of /proc/PID/cgroup; `root`: the cgroup file system, usually
/// /sys/fs/cgroup.
[[nodiscard]] std::vector<MemoryLimit> control_group_limits(const std::string& membership,
                                                            const std::filesystem::path& root);

struct HostMemory {
    std::uint64_t free = UINT64_MAX;   ///< bytes that can still be allocated (estimate)
    std::uint64_t total = UINT64_MAX;  ///< bytes of the machine, or the tightest limit
    std::string limit{};  ///< MemoryLimit::words of the limit that sets `free`; "": the machine
};
[[nodiscard]] HostMemory host_memory();

/// Call before allocating in host memory: throws refused_memory() if `bytes` exceed what is free.
void require_host_memory(std::uint64_t bytes, const std::string& what, const std::string& advice);

/// Makes the error "WHAT needs about N MB on DEVICE, where M MB are free (LIMIT): ADVICE". The
/// advice says what the user can do about it. `limit`: MemoryLimit::words, or "".
[[nodiscard]] OutOfMemory refused_memory(const std::string& device, std::uint64_t bytes,
                                         std::uint64_t free_bytes, const std::string& limit,
                                         const std::string& what, const std::string& advice);

/// Throws UserError if a limit on address space leaves less than `bytes`. `what`: the subject of
/// the message, such as "OpenBLAS".
void require_address_space(std::uint64_t bytes, const std::string& what);

}  // namespace tl
