// Runs a reader over many inputs in supervised worker processes. Crashes, and inputs that take too
// much time or memory, are reported as findings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/readers.h"

namespace tl::fuzz {

/// Failure of a reader, with the input that causes it.
struct Finding {
    std::string what;          ///< one line, such as "crash: Segmentation fault"
    std::uint64_t number = 0;  ///< number of the input
    Input input;               ///< empty where no single input causes the failure
    std::string report;        ///< the process's output to stderr, such as a sanitizer's report
    std::uint64_t count = 1;   ///< number of inputs with this failure
};

/// Input with the largest use of time or memory.
struct Extreme {
    double amount = 0;
    std::uint64_t number = 0;
};

struct Tally {
    std::uint64_t n_accepted = 0, n_refused = 0, n_left_out = 0;
    Extreme seconds;                ///< largest processor time of an input
    Extreme bytes;                  ///< most memory beyond that allocated before the input
    std::vector<Finding> findings;  ///< first finding of each kind
};

/// Returns the input of a number; none after the last.
using Inputs = std::function<std::optional<Input>(std::uint64_t)>;

/// Reads inputs 0, 1, ... for `seconds`, or until none is left. The first `n_valid` inputs have to
/// be accepted.
[[nodiscard]] Tally watch_reader(const Reader& reader, const Inputs& inputs, double seconds,
                                 std::uint64_t n_valid);

}  // namespace tl::fuzz
