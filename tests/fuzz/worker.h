// Worker process that reads inputs, and the checks that it applies.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/fuzz/supervisor.h"

namespace tl::fuzz {

/// Progress and results of a worker, in memory shared with its supervisor.
struct Board {
    std::atomic<std::uint64_t> number;  ///< number of the input that is being read
    std::atomic<std::int64_t> started;  ///< the worker's processor time when that input was begun
    std::uint64_t n_accepted, n_refused, n_left_out;
    Extreme seconds, bytes;
    char fault[2048];  ///< fault of that input; "" if it has none
};

struct Task {
    const Reader& reader;
    const Inputs& inputs;
    std::uint64_t first, n_valid;
    double seconds;      ///< time until the worker ends by itself, seconds
    std::string folder;  ///< folder for the worker's files
};

/// Reads inputs until one has a fault, none is left or the time is over; exits the process.
[[noreturn]] void run_worker(const Task& task, Board& board) noexcept;

}  // namespace tl::fuzz
