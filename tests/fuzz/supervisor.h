// Runs a reader over many inputs in processes of their own, which are watched: what they die of,
// and inputs that take too much, are findings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/readers.h"

namespace tl::fuzz {

/// What is wrong with an input.
struct Finding {
    std::string what;          ///< one line, such as "crash: Segmentation fault"
    std::uint64_t number = 0;  ///< of the input
    Input input;               ///< empty for what no single input is to blame for
    std::string report;        ///< what the process wrote to stderr, such as a sanitizer's report
    std::uint64_t count = 1;   ///< inputs with this fault
};

/// An input that took the most of something.
struct Extreme {
    double amount = 0;
    std::uint64_t number = 0;
};

struct Tally {
    std::uint64_t n_accepted = 0, n_refused = 0, n_left_out = 0;
    Extreme seconds;                ///< of processor time
    Extreme bytes;                  ///< beyond those that were allocated before
    std::vector<Finding> findings;  ///< the first of each kind
};

/// Inputs by their numbers; none after the last.
using Inputs = std::function<std::optional<Input>(std::uint64_t)>;

/// Reads inputs 0, 1, ... for `seconds`, or until there is none. The first `n_valid` have to be
/// accepted.
[[nodiscard]] Tally watch_reader(const Reader& reader, const Inputs& inputs, double seconds,
                                 std::uint64_t n_valid);

}  // namespace tl::fuzz
