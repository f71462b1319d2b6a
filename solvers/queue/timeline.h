// Timeline of a queue's operations, lane by lane, and the overlap of its lanes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl {

enum class LaneKind : std::uint8_t;

/// An operation, or a fused chain of them, that ran.
struct TimelineSpan {
    std::uint64_t id = 0;   ///< number of the operation, ascending in the order of enqueue()
    const char* name = "";  ///< "lu"; of a chain that of its first operation
    LaneKind lane{};
    int n_fused = 1;  ///< operations of the chain
    bool failed = false;
    double begin = 0, end = 0;  ///< milliseconds since the queue was made, on the device
    double work = 0;            ///< operations or bytes, as in the table of operations
};

/// Busy times of the lanes, and the overlap of copies with computation.
struct LaneOverlap {
    double elapsed = 0;   ///< milliseconds from the first begin to the last end
    double busy[3] = {};  ///< busy time of each lane
    double copies = 0;    ///< while at least one direction was copied
    double hidden = 0;    ///< part of `copies` during which the compute lane was busy
    /// Percentage of the copies' time that is hidden behind computation; 0 without copies.
    [[nodiscard]] double percent() const { return copies > 0 ? 100 * hidden / copies : 0; }
};
[[nodiscard]] LaneOverlap measure_overlap(const std::vector<TimelineSpan>& spans);

}  // namespace tl
