#include "solvers/queue/timeline.h"

#include <algorithm>

#include "solvers/queue/operations.h"

namespace tl {
namespace {

struct LaneInterval {
    double begin, end;
};

/// The union of intervals, in ascending order.
std::vector<LaneInterval> joined(std::vector<LaneInterval> intervals) {
    std::ranges::sort(intervals, {}, &LaneInterval::begin);
    std::vector<LaneInterval> all;
    for (auto& interval : intervals) {
        if (!all.empty() && interval.begin <= all.back().end)
            all.back().end = std::max(all.back().end, interval.end);
        else
            all.push_back(interval);
    }
    return all;
}

double length_of(const std::vector<LaneInterval>& intervals) {
    double sum = 0;
    for (auto& interval : intervals) sum += interval.end - interval.begin;
    return sum;
}

/// Length of the intersection of two unions.
double common_length(const std::vector<LaneInterval>& a, const std::vector<LaneInterval>& b) {
    double sum = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        sum += std::max(0.0, std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
        (a[i].end < b[j].end ? i : j)++;
    }
    return sum;
}

}  // namespace

LaneOverlap measure_overlap(const std::vector<TimelineSpan>& spans) {
    LaneOverlap overlap;
    if (spans.empty()) return overlap;
    std::vector<LaneInterval> lanes[kLanes], copies;
    double first = spans[0].begin, last = spans[0].end;
    for (auto& span : spans) {
        lanes[static_cast<int>(span.lane)].push_back({span.begin, span.end});
        if (span.lane != LaneKind::compute) copies.push_back({span.begin, span.end});
        first = std::min(first, span.begin);
        last = std::max(last, span.end);
    }
    overlap.elapsed = last - first;
    for (int lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = joined(std::move(lanes[lane]));
        overlap.busy[lane] = length_of(lanes[lane]);
    }
    copies = joined(std::move(copies));
    overlap.copies = length_of(copies);
    overlap.hidden = common_length(copies, lanes[static_cast<int>(LaneKind::compute)]);
    return overlap;
}

}  // namespace tl
