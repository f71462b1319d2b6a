#include "solvers/pose/match_file.h"

#include "solvers/dense/number_table.h"

namespace tl {

std::vector<double> read_matches(const std::string& path, PoseKind kind) {
    return read_number_table(path, match_size(kind), "matches of this kind");
}

}  // namespace tl
