// Batches of test matrices. A matrix depends on its kind, size, seed and number in the batch alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl {

/// A row of the table of kinds.
struct BatchKind {
    std::string id;     ///< for flags: "companion"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence
};
[[nodiscard]] const std::vector<BatchKind>& batch_kinds();

struct BatchSpec {
    std::string kind = "random";
    int n = 10;
    std::size_t count = 1;
    std::uint64_t seed = 0;
};

/// Matrices `first` to `first + count - 1` of the batch, one after the other, each row by row.
/// Throws UsageError for an unknown kind.
[[nodiscard]] std::vector<double> make_batch(const BatchSpec& spec, std::size_t first,
                                             std::size_t count);

}  // namespace tl
