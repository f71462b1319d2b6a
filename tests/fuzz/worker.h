// The process that reads inputs, and what it is checked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/fuzz/supervisor.h"

namespace tl::fuzz {

/// What a worker tells its supervisor, in memory that both share.
struct Board {
    std::atomic<std::uint64_t> number;  ///< of the input that is being read
    std::atomic<std::int64_t> started;  ///< the worker's processor time when it was begun
    std::uint64_t n_accepted, n_refused, n_left_out;
    Extreme seconds, bytes;
    char fault[2048];  ///< what is wrong with that input; "" if nothing is
};

struct Task {
    const Reader& reader;
    const Inputs& inputs;
    std::uint64_t first, n_valid;
    double seconds;      ///< until it ends by itself
    std::string folder;  ///< for its files
};

/// Reads inputs until one has a fault, none is left or the time is over; leaves the process.
[[noreturn]] void run_worker(const Task& task, Board& board) noexcept;

}  // namespace tl::fuzz
